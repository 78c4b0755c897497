/** A fake Cache Storage with the parts that the library uses. `all` holds the entries of each cache by name. */
export function fakeCaches() {
  const all = new Map();
  return {
    all,
    async open(name) {
      if (!all.has(name)) all.set(name, new Map());
      const entries = all.get(name);
      return {
        match: async (url) => entries.get(String(url))?.clone(),
        put: async (url, response) =>
          void entries.set(String(url), new Response(await response.arrayBuffer(), { headers: response.headers })),
        delete: async (url) => entries.delete(String(url)),
        keys: async () => [...entries.keys()].map((url) => ({ url })),
      };
    },
    match: async (url, { cacheName }) => all.get(cacheName)?.get(String(url))?.clone(),
    has: async (name) => all.has(name),
    keys: async () => [...all.keys()],
    delete: async (name) => all.delete(name),
  };
}
