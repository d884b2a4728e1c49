"""Runs schemathesis over every operation of a live server, on each engine.

  run.py PATH-OF-WISHBONE [SCHEMATHESIS-ARGUMENT ...]

It starts the server on a database of its own, makes two stores and what a shopper would have, and ends the server. PostgreSQL
is tried if WISHBONE_TEST_POSTGRES has the address of one. See hooks.py for what is sent.
"""

import concurrent.futures
import email
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import uuid

import requests

HERE = pathlib.Path(__file__).parent
EMAIL = "ann@example.com"
FEATURES = ["sort-filter", "save-for-later", "subscriptions"]
# Limits that so many calls would run into are raised: a refusal says nothing of an operation.
LIMITS = {
    "--rate-limit": "1000/s",
    "--address-rate-limit": "1000/s",
    "--write-rate-limit": "100000/s",
    "--address-write-rate-limit": "100000/s",
    "--shopper-quota": "1000000",
    "--address-quota": "1000000",
    "--store-quota": "1000000",
    "--mails-per-shopper": "1000",
    "--mails-per-address": "1000",
    "--mails-per-hour": "1000000",
    "--max-lists": "100000",
}


class Wishbone:
    """A server and its command line, on one database."""

    def __init__(self, program, folder, database):
        self.base = [program, "--json"]
        self.where = ["--database", database] if database else []
        self.environment = {**os.environ, "WISHBONE_DATA": folder}
        self.log = open(pathlib.Path(folder) / "log", "w+")
        serve = [*self.base, "serve", *self.where, "--listen", "127.0.0.1:0", "--log", "warn"]
        # Streams end after their first event.
        serve += ["--live-timeout", "0"]
        self.server = subprocess.Popen(
            serve, stdout=subprocess.PIPE, stderr=self.log, env=self.environment, cwd=folder, text=True
        )
        ready = self.server.stdout.readline()
        if not ready:
            raise SystemExit(f"the server did not start: {self.said()}")
        self.url = json.loads(ready)["url"]

    def run(self, *arguments):
        command = [*self.base, *arguments, *self.where]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{command} failed: {done.stderr}")
        return json.loads(done.stdout)

    def store(self, name):
        made = self.run("store", "create", "--name", name, "--plan", "enterprise", *flags("--enable", FEATURES))
        self.run("store", "set", made["pid"], *(word for pair in LIMITS.items() for word in pair))
        return {"pid": made["pid"], "key": made["apikey"]}

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def stop(self):
        self.server.terminate()
        self.server.wait(30)


def flags(name, values):
    return [word for value in values for word in (name, value)]


def mail_token(folder):
    """Without a mail server mails wait in a folder; each has a link for its recipient."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for mail in (pathlib.Path(folder) / "outbox").glob("*.eml"):
            text = email.message_from_bytes(mail.read_bytes())["List-Unsubscribe"]
            if found := re.search(r"token=([A-Za-z0-9_-]+)", re.sub(r"\s", "", text or "")):
                return found[1]
        time.sleep(0.05)
    raise SystemExit("no mail with a link was written")


def fill(wishbone, folder):
    """What the calls are about. The second store is there to be logged out and erased."""
    store, other = wishbone.store("Shop"), wishbone.store("Other shop")

    def admin(path, data, of=store):
        answer = requests.post(f"{wishbone.url}/storeadmin/v3/{path}", data=data, auth=(of["pid"], of["key"]))
        answer.raise_for_status()
        return answer.json()

    shopper = admin("user/generate-regid", {"useremail": EMAIL})

    def call(path, **data):
        answer = requests.post(f"{wishbone.url}/api/v3/{path}", params={"pid": store["pid"]}, data={**shopper, **data})
        answer.raise_for_status()
        return answer.json()

    products = [{"epi": n, "empi": 1000 + n, "du": f"https://shop.example/p/{n}"} for n in range(1, 61)]
    lists = [call("lists/create", lname=f"List {n}")["lid"] for n in range(3)]
    call("lists/update-ctx", lid=lists[0], a=json.dumps(products))
    saved = call("lists/sfl/create")["lid"]
    call("lists/sfl/add", lid=saved, items=json.dumps(products))
    shared = call("lists/share-links/create", lid=lists[1], scope="edit")["link"]
    link = shared["key"]
    comment = call("lists/comments/add", lid=lists[0], epi=1, text="in blue?")["comment"]["id"]
    guests = [admin("user/generate-regid", {"uuid": str(uuid.uuid4())}) for _ in range(3)]
    call("lists/emailList", lid=lists[0], fromname="Ann", toemail="ben@example.com")
    return {
        "mail_token": mail_token(folder),
        "page_token": shared["url"].split("token=")[1],
        "store": store,
        "other": other,
        "shopper": shopper,
        "lists": [*lists, link],
        "spare": [call("lists/create", lname=f"Spare {n}")["lid"] for n in range(40)],
        "saved": saved,
        "links": [link],
        "comments": [comment],
        "guests": [guest["regid"] for guest in guests],
        "next": call("lists/fetch-user-list", lid=lists[0])["pagination"]["next"],
        "saved_next": call("lists/sfl/fetch")["pagination"]["next"],
    }


def try_engine(program, engine, database, arguments):
    with tempfile.TemporaryDirectory(prefix="wishbone-schemathesis-") as folder:
        wishbone = Wishbone(program, folder, database)
        try:
            subject = pathlib.Path(folder) / "subject.json"
            subject.write_text(json.dumps(fill(wishbone, folder)))
            command = [
                str(pathlib.Path(sys.executable).parent / "schemathesis"),
                "--config-file", str(HERE / "schemathesis.toml"),
                "run", f"{wishbone.url}/openapi.json", *arguments,
            ]
            environment = {
                **os.environ,
                "SCHEMATHESIS_HOOKS": "hooks",
                "PYTHONPATH": str(HERE),
                "PYTHONDONTWRITEBYTECODE": "1",
                "WISHBONE_SUBJECT": str(subject),
                "WISHBONE_ENGINE": engine,
            }
            done = subprocess.run(command, env=environment, cwd=folder, text=True, stdout=subprocess.PIPE)
            if wishbone.server.poll() is not None:
                raise SystemExit(f"the server has ended: {wishbone.said()}")
        finally:
            wishbone.stop()
        faults = [line for line in wishbone.said().splitlines() if "ERROR" in line]
        if faults:
            faults.insert(0, "The server logged errors:")
        return done.returncode or bool(faults), "\n".join([done.stdout, *faults[:21]])


def own_schema(url):
    """An empty schema in which the server makes its tables; psql is there where PostgreSQL is."""
    name = f"s{uuid.uuid4().hex}"
    subprocess.run(["psql", "-q", "-d", url, "-c", f"create schema {name}"], check=True)
    return f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3D{name}"


def main():
    program, *arguments = sys.argv[1:]
    program = str(pathlib.Path(program).resolve())
    databases = {"SQLite": None}
    if url := os.environ.get("WISHBONE_TEST_POSTGRES"):
        databases["PostgreSQL"] = own_schema(url)
    # In parallel; the report of each engine is printed in one piece.
    with concurrent.futures.ThreadPoolExecutor() as pool:
        runs = {engine: pool.submit(try_engine, program, engine, url, arguments) for engine, url in databases.items()}
    failed = []
    for engine, run in runs.items():
        status, output = run.result()
        print(f"\nschemathesis on {engine}", output, sep="\n", flush=True)
        if status:
            failed.append(engine)
    if failed:
        raise SystemExit(f"not as described, on {' and '.join(failed)}: see above")


main()
