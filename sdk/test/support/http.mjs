import { createServer } from "node:http";

/** A server on a free port of this machine, and so on an origin of its own. */
export async function listen(handler) {
  const server = createServer(async (request, response) => {
    try {
      await handler(request, response);
    } catch (error) {
      response.destroy();
      // A page that was closed while it sent is no fault of the test.
      if (request.complete) throw error;
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An address where nothing listens. */
export async function closedPort() {
  const server = await listen(() => {});
  await server.close();
  return server.url;
}

export async function bodyOf(request) {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
