// The real Wishbone servers that the browser tests talk to.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

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

/** A server without a demo and without stores, started for one test file. */
export async function plainServer() {
  const program = process.env.WISHBONE_TEST_PROGRAM;
  if (!program) throw new Error("WISHBONE_TEST_PROGRAM is not set. Run ./scripts/test from the top of the repository.");
  const folder = await mkdtemp(join(tmpdir(), "wishbone-serve-"));
  const args = ["serve", "--listen", "127.0.0.1:0", "--log", "error", "--data", join(folder, "data"), "--json"];
  const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const stop = async () => {
    child.kill();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  for await (const line of createInterface(child.stdout)) return { url: JSON.parse(line).url, stop };
  await stop();
  throw new Error(`${program} serve ended before it was ready`);
}
