/**
 * Asks the page, by an event that bubbles and can be cancelled. `answer` is what a listener has given to `respondWith`, as
 * `[answer]`; `isAllowed` is false if one has called `preventDefault`.
 */
export function askPage(element: Element, name: string, about: object): { answer?: [unknown]; isAllowed: boolean } {
  let answer: [unknown] | undefined;
  const detail = { ...about, respondWith: (given: unknown) => (answer = [given]) };
  const event = new CustomEvent(name, { bubbles: true, composed: true, cancelable: true, detail });
  const isAllowed = element.dispatchEvent(event);
  return answer ? { answer, isAllowed } : { isAllowed };
}
