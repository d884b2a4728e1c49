type Listener = (detail: any, name: any) => void;

/** What a page's function throws is the page's own error: reported as uncaught, and no reason to stop. */
export function guarded<A extends unknown[]>(work: (...args: A) => unknown): (...args: A) => void {
  return (...args) => {
    try {
      work(...args);
    } catch (error) {
      setTimeout(() => {
        throw error;
      });
    }
  };
}

export class Events {
  private readonly listeners = new Set<readonly [string, Listener]>();

  /** `target` gets each event too; undefined outside of a page. */
  constructor(private readonly target: EventTarget | undefined) {}

  on(name: string, listener: Listener): () => void {
    const entry = [name, guarded(listener)] as const;
    this.listeners.add(entry);
    return () => void this.listeners.delete(entry);
  }

  emit(name: string, detail: object): void {
    // A copy, because a listener may end itself or others.
    for (const [wanted, listener] of [...this.listeners]) {
      if (wanted === name || wanted === "*") listener(detail, name);
    }
    this.target?.dispatchEvent(new CustomEvent(`wishbone:${name}`, { detail }));
  }
}
