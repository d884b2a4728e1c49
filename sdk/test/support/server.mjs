// The real Wishbone server that the browser tests talk to.
const NAMES = {
  url: "WISHBONE_TEST_URL",
  pid: "WISHBONE_TEST_PID",
  regid: "WISHBONE_TEST_REGID",
  sessionid: "WISHBONE_TEST_SESSIONID",
};

export function realServer() {
  const unset = Object.values(NAMES).filter((name) => !process.env[name]);
  if (unset.length > 0) {
    throw new Error(
      `These tests need a running Wishbone server: ${unset.join(", ")} not set. ` +
        "Run ./scripts/test from the top of the repository; it starts one and sets them.",
    );
  }
  const server = Object.fromEntries(Object.entries(NAMES).map(([key, name]) => [key, process.env[name]]));
  return { ...server, url: server.url.replace(/\/+$/, "") };
}
