// The real Wishbone servers that the browser tests talk to.
import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);

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

/** A server without a demo and without stores, started for one test file. It can be halted and resumed with the same address and data. */
export async function plainServer() {
  const program = process.env.WISHBONE_TEST_PROGRAM;
  if (!program) throw new Error("WISHBONE_TEST_PROGRAM is not set. Run ./scripts/test from the top of the repository.");
  const folder = await mkdtemp(join(tmpdir(), "wishbone-serve-"));
  const data = ["--data", join(folder, "data"), "--json"];
  let running = await serve(program, folder, ["--listen", "127.0.0.1:0", ...data]);
  const { url } = running;
  return {
    url,
    /** Makes a store; `{pid, apikey, loginsecret, …}` as the command prints them. */
    async store(...args) {
      const { stdout } = await run(program, ["store", "create", "--name", "Test shop", ...args, ...data], { cwd: folder });
      return JSON.parse(stdout);
    },
    async halt() {
      await running.end();
    },
    async resume() {
      running = await serve(program, folder, ["--listen", new URL(url).host, ...data]);
    },
    async stop() {
      await running.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function serve(program, cwd, args) {
  const child = spawn(program, ["serve", "--log", "error", ...args], { cwd, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const end = async () => {
    child.kill();
    await ended;
  };
  for await (const line of createInterface(child.stdout)) return { url: JSON.parse(line).url, end };
  await end();
  throw new Error(`${program} serve ended before it was ready`);
}
