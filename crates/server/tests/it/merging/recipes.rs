//! The recipes for making a token are copied out of the documentation and tried on a running server.

use std::path::Path;
use std::process::Command;

use crate::support::process::Setup;

/// The code block of a language below the heading about tokens.
fn recipe(language: &str) -> String {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    let section = docs.split("### Making a token").nth(1).unwrap();
    let block = section.split(&format!("```{language}\n")).nth(1).unwrap();
    block.split("```").next().unwrap().to_owned()
}

fn is_understood(language: &str, program: &str, before: &str, after: &str) {
    let place = Setup::new();
    let made = place.json(&["store", "create", "--name", "A"]);
    let text = |key: &str| made[key].as_str().unwrap();
    let server = place.serve(&[]);
    let file = place.folder().join(format!("recipe.{language}"));
    std::fs::write(&file, format!("{before}{}{after}", recipe(language))).unwrap();
    let answer = server.shop(text("pid"), text("apikey")).log_in_by_token(|fields| {
        let made = Command::new(program).arg(&file).arg(text("loginsecret")).args(fields).output();
        let made = made.unwrap_or_else(|error| panic!("{program}: {error}; ./scripts/test installs it"));
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    });
    answer.ok();
}

#[test]
fn the_recipe_for_node_makes_a_token_that_is_understood() {
    let call = "const [secret, pid, regid, extuid, useremail, expires] = process.argv.slice(2);\n\
                console.log(loginToken(secret, { pid, regid, extuid, useremail, expires }));\n";
    is_understood("js", "node", "", call);
}

#[test]
fn the_recipe_for_python_makes_a_token_that_is_understood() {
    is_understood("python", "python3", "", "import sys\nprint(login_token(*sys.argv[1:]))\n");
}

#[test]
fn the_recipe_for_php_makes_a_token_that_is_understood() {
    is_understood("php", "php", "<?php\n", "echo login_token(...array_slice($argv, 1));\n");
}
