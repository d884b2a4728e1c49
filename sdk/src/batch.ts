// About a frame: hearts that a parser or a framework adds one after the other still share a request.
const WINDOW = 16;

type Load<K, V> = (keys: K[]) => Promise<Map<K, V>>;
interface Waiting<V> {
  readonly promise: Promise<V>;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
}

/** Turns calls of the same moment into one, or into as few as the limit per call allows. */
export class Batch<K, V> {
  private waiting = new Map<K, Waiting<V>>();

  constructor(
    private readonly limit: number,
    private readonly load: Load<K, V>,
    private readonly later: (work: () => void) => void = (work) => void setTimeout(work, WINDOW),
  ) {}

  get(key: K): Promise<V> {
    const known = this.waiting.get(key);
    if (known) return known.promise;
    if (this.waiting.size === 0) this.later(() => this.flush());
    let settle!: Pick<Waiting<V>, "resolve" | "reject">;
    const promise = new Promise<V>((resolve, reject) => (settle = { resolve, reject }));
    this.waiting.set(key, { promise, ...settle });
    return promise;
  }

  private flush(): void {
    const all = [...this.waiting];
    this.waiting = new Map();
    for (let start = 0; start < all.length; start += this.limit) {
      const part = all.slice(start, start + this.limit);
      this.load(part.map(([key]) => key)).then(
        (values) => part.forEach(([key, { resolve }]) => resolve(values.get(key) as V)),
        (error) => part.forEach(([, { reject }]) => reject(error)),
      );
    }
  }
}
