/** localStorage without a browser. */
export function memoryStorage() {
  const kept = new Map();
  return {
    kept,
    get length() {
      return kept.size;
    },
    key: (index) => [...kept.keys()][index] ?? null,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

export function forbiddenStorage() {
  throw new DOMException("forbidden", "SecurityError");
}
