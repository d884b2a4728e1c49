/** Runs in a page before its scripts: takes storage away. */
export function forbid() {
  for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(window, name, {
      get() {
        throw new DOMException("forbidden", "SecurityError");
      },
    });
  }
}

/** Runs in a page before its scripts: an older browser, or a page without https. */
export function outdate() {
  delete window.BroadcastChannel;
  Object.defineProperty(Navigator.prototype, "locks", { value: undefined });
}
