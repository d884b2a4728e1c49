"""An SMTP server (aiosmtpd) that appends the recipient and the Message-ID of every accepted mail to a file.

    smtp.py FILE PORT

The beginning of a recipient's address selects a fault:
    never   the address is rejected for good
    later   the first attempt is put off
    slow    the reply to the mail takes two seconds
    hang    the first mail is accepted, but its reply never comes
"""

import asyncio
import email
import sys

from aiosmtpd.smtp import SMTP

file, port = sys.argv[1:]


class Recorder:
    def __init__(self):
        self.seen = set()
        self.out = open(file, "a")

    def is_first(self, address):
        is_first = address not in self.seen
        self.seen.add(address)
        return is_first

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("never"):
            return f"550 5.1.1 <{address}> does not exist"
        if address.startswith("later") and self.is_first(address):
            return f"451 4.7.1 <{address}> is greylisted"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        address = envelope.rcpt_tos[0]
        if address.startswith("slow"):
            await asyncio.sleep(2)
        mail = email.message_from_bytes(envelope.original_content)
        # Written before the reply: what is accepted survives a kill of this process.
        self.out.write(f"{address} {mail['message-id']}\n")
        self.out.flush()
        if address.startswith("hang") and self.is_first(address):
            await asyncio.sleep(3600)
        return "250 OK"


async def main():
    recorder = Recorder()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(recorder, hostname="mail.test"), "127.0.0.1", int(port))
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
