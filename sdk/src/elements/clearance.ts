// What shops make buttons of; other links may be covered for a while.
const CONTROLS = "button, input, select, textarea, summary, [role=button], a[class*=button i], a[class*=btn i]";
const GAP = 8;

/** The boxes of all controls within, also those in shadow roots, except in `skipped`. */
function controlsIn(root: ParentNode, skipped: Element): DOMRect[] {
  return [...root.querySelectorAll("*")].flatMap((element) => {
    if (element === skipped) return [];
    const inside = element.shadowRoot ? controlsIn(element.shadowRoot, skipped) : [];
    return element.matches(CONTROLS) ? [element.getBoundingClientRect(), ...inside] : inside;
  });
}

/** How far up a box must be moved to cover no control of the page; 0 if there is no such place. */
export function clearance(box: DOMRect, skipped: Element): number {
  const { left, right, top, bottom } = box;
  // Those that only screen readers have are a pixel large.
  const beside = controlsIn(document, skipped).filter((one) => one.width > 1 && one.right > left && one.left < right);
  const shifts = [0, ...beside.map((one) => bottom - one.top + GAP)].filter((shift) => shift >= 0 && shift < top);
  const isFree = (shift: number) => beside.every((one) => one.bottom <= top - shift || one.top >= bottom - shift);
  return shifts.sort((a, b) => a - b).find(isFree) || 0;
}
