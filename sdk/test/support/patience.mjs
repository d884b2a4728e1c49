/** How long one step of a test may take: more than a busy machine needs, less than progress.mjs allows a whole test. */
export const PATIENCE = 2 * 60_000;

/** Waits until this holds; then, or when that takes too long, it ends. `found` says what was there instead. */
export async function until(holds, found = () => holds) {
  for (const end = Date.now() + PATIENCE; !(await holds()); ) {
    if (Date.now() > end) throw new Error(`waited in vain: ${found()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
