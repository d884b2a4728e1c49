// The real Wishbone servers that the browser tests talk to. Each file starts its own, so that files can run in parallel.
import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A server with the demo's store and its shopper: `{url, pid, regid, sessionid}`. */
export async function demoServer() {
  const { shopper, end, ...server } = await start(tmpdir(), ["demo", "--listen", "127.0.0.1:0", "--json"]);
  return { ...server, ...shopper, stop: end };
}

/** A server without a demo and without stores, started for one test file. It can be halted and resumed with the same address and data. */
export async function plainServer() {
  const folder = await mkdtemp(join(tmpdir(), "wishbone-serve-"));
  const data = ["--data", join(folder, "data"), "--json"];
  const serve = (address) => start(folder, ["serve", "--log", "error", "--listen", address, ...data]);
  let running = await serve("127.0.0.1:0");
  const { url } = running;
  return {
    url,
    /** Makes a store; `{pid, apikey, loginsecret, …}` as the command prints them. */
    async store(...args) {
      const { stdout } = await run(program(), ["store", "create", "--name", "Test shop", ...args, ...data], { cwd: folder });
      return JSON.parse(stdout);
    },
    /** What the command that makes a store prints for people. */
    async storeAsText() {
      const { stdout } = await run(program(), ["store", "create", "--name", "Test shop", "--data", join(folder, "data")], { cwd: folder });
      return stdout;
    },
    /** Changes a store's settings while the server runs. */
    set: (pid, ...args) => run(program(), ["store", "set", pid, ...args, ...data], { cwd: folder }),
    async halt() {
      await running.end();
    },
    async resume() {
      running = await serve(new URL(url).host);
    },
    async stop() {
      await running.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function program() {
  const path = process.env.WISHBONE_TEST_PROGRAM;
  if (!path) throw new Error("WISHBONE_TEST_PROGRAM is not set. Run ./scripts/test from the top of the repository.");
  return path;
}

/** Starts a server, and gives what it prints once it is ready. */
async function start(cwd, args) {
  const child = spawn(program(), args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  const kill = () => child.kill();
  const ended = new Promise((resolve) => child.once("close", resolve));
  // Also where this process ends before its tests do.
  process.once("exit", kill);
  const end = async () => {
    process.off("exit", kill);
    kill();
    await ended;
  };
  for await (const line of createInterface(child.stdout)) return { ...JSON.parse(line), end };
  await end();
  throw new Error(`wishbone ${args[0]} ended before it was ready`);
}
