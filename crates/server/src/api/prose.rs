//! Descriptions and schemas as HTML. All text is escaped before markup is added.

use serde_json::Value;

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

/// The subset of Markdown that descriptions use: paragraphs, headings, lists, tables, bold and code.
pub(crate) fn prose(text: &str) -> String {
    text.split("\n\n").filter(|block| !block.is_empty()).map(block).collect()
}

fn block(block: &str) -> String {
    if let Some(heading) = block.strip_prefix("## ") {
        let id = heading.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        return format!("<h2 id=\"{}\">{}</h2>", escape(&id), inline(heading));
    }
    if block.starts_with('|') {
        return table(block);
    }
    if let Some(items) = block.strip_prefix("- ") {
        let items: String = items.split("\n- ").map(|item| format!("<li>{}</li>", inline(item))).collect();
        return format!("<ul>{items}</ul>");
    }
    format!("<p>{}</p>", inline(block))
}

fn table(block: &str) -> String {
    let row = |line: &str, cell: &str| {
        let cells = line.trim_matches('|').split('|').map(|text| format!("<{cell}>{}</{cell}>", inline(text.trim())));
        format!("<tr>{}</tr>", cells.collect::<String>())
    };
    let mut lines = block.lines();
    let head = lines.next().map(|line| row(line, "th")).unwrap_or_default();
    let rows: String = lines.filter(|line| !line.starts_with("|--")).map(|line| row(line, "td")).collect();
    format!("<table><thead>{head}</thead><tbody>{rows}</tbody></table>")
}

fn inline(text: &str) -> String {
    let bold = |text: &str| wrap(text, "**", "strong", |text| text.to_owned());
    wrap(&escape(text), "`", "code", bold)
}

/// Wraps every second part between marks in a tag.
fn wrap(text: &str, mark: &str, tag: &str, others: impl Fn(&str) -> String) -> String {
    let part = |(i, part): (usize, &str)| if i % 2 == 1 { format!("<{tag}>{part}</{tag}>") } else { others(part) };
    text.split(mark).enumerate().map(part).collect()
}

/// A schema in the short form that programmers read: `{ status: "success", data: List[] }`.
pub(crate) fn shape(schema: &Value) -> String {
    if let Some(target) = schema["$ref"].as_str() {
        let name = escape(target.rsplit('/').next().unwrap_or_default());
        return format!("<a href=\"#{name}\">{name}</a>");
    }
    if let Some(value) = schema.get("const") {
        return escape(&value.to_string());
    }
    if let Some(content) = schema.get("contentSchema") {
        return format!("JSON: {}", shape(content));
    }
    for several in ["enum", "anyOf", "allOf"] {
        let Some(parts) = schema[several].as_array() else { continue };
        return match several {
            "enum" => parts.iter().map(|value| escape(&value.to_string())).collect::<Vec<_>>().join(" | "),
            "anyOf" => parts.iter().map(shape).collect::<Vec<_>>().join(" | "),
            _ => parts.iter().map(with).collect::<Vec<_>>().join(" "),
        };
    }
    match &schema["type"] {
        Value::Array(types) => {
            let one = |name: &Value| {
                let mut schema = schema.clone();
                schema["type"] = name.clone();
                shape(&schema)
            };
            types.iter().map(one).collect::<Vec<_>>().join(" | ")
        }
        Value::String(name) if name == "array" => {
            let of = shape(&schema["items"]);
            if of.contains(" | ") { format!("({of})[]") } else { format!("{of}[]") }
        }
        Value::String(name) if name == "object" => members(schema),
        Value::String(name) => match schema["format"].as_str() {
            Some(format) if format != "int64" => escape(format),
            _ => escape(name),
        },
        _ => "any".to_owned(),
    }
}

fn members(schema: &Value) -> String {
    if let Some(value) = schema.get("additionalProperties") {
        return format!("{{ [key]: {} }}", shape(value));
    }
    let Some(properties) = schema["properties"].as_object() else { return "object".to_owned() };
    let required = |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|it| it == name));
    let member = |(name, schema): (&String, &Value)| {
        let mark = if required(name) { "" } else { "?" };
        format!("{}{mark}: {}", escape(name), shape(schema))
    };
    format!("{{ {} }}", properties.iter().map(member).collect::<Vec<_>>().join(", "))
}

/// A part of an `allOf`: a record, additional members, or required members.
fn with(part: &Value) -> String {
    match (part.get("$ref"), part.get("properties"), part["required"].as_array()) {
        (None, None, Some(names)) => {
            let names: Vec<String> = names.iter().filter_map(Value::as_str).map(escape).collect();
            format!("with {}", names.join(", "))
        }
        (None, Some(_), _) => format!("and {}", shape(part)),
        _ => shape(part),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_described_cannot_become_markup() {
        assert_eq!(
            prose("a <b> & `c<d>` **e**"),
            "<p>a &lt;b&gt; &amp; <code>c&lt;d&gt;</code> <strong>e</strong></p>"
        );
        assert_eq!(shape(&json!({ "const": "<i>" })), "&quot;&lt;i&gt;&quot;");
    }

    #[test]
    fn lists_have_items() {
        assert_eq!(prose("- `a`: b\n- c"), "<ul><li><code>a</code>: b</li><li>c</li></ul>");
    }

    #[test]
    fn schemas_read_like_types() {
        let list = json!({ "allOf": [{ "$ref": "#/components/schemas/List" }, { "required": ["a", "b"] }] });
        assert_eq!(shape(&list), "<a href=\"#List\">List</a> with a, b");
        let object = json!({
            "type": "object",
            "properties": { "x": { "type": ["string", "null"] }, "y": { "type": "array", "items": { "enum": [1, 2] } } },
            "required": ["x"],
        });
        assert_eq!(shape(&object), "{ x: string | null, y?: (1 | 2)[] }");
    }
}
