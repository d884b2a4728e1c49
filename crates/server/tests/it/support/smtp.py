"""A real SMTP server for tests. It keeps what it is sent as JSON, a line for each mail.

    smtp.py FILE PORT [CERTIFICATE KEY USER PASSWORD [implicit]]

With a certificate it demands a login, and STARTTLS or, if `implicit`, TLS from the start. Like many servers it accepts only
some mails over one connection. Addresses that begin with `never` are refused for good; those that
begin with `later` are put off at the first try; at the first mail to one that begins with `hangs` it never answers.
"""

import asyncio
import email
import email.policy
import json
import ssl
import sys
import warnings

from aiosmtpd.smtp import SMTP, AuthResult

# Login before TLS is refused by this server; the library warns of it all the same.
warnings.simplefilter("ignore")
file, port, *private = sys.argv[1:]
is_implicit = private[4:] == ["implicit"]
MAILS_PER_CONNECTION = 3


class Keep:
    def __init__(self):
        self.put_off = set()
        self.hanging = set()

    async def handle_MAIL(self, server, session, envelope, address, options):
        session.mails = getattr(session, "mails", 0) + 1
        if session.mails > MAILS_PER_CONNECTION:
            return "421 4.7.0 too many mails over this connection"
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("never"):
            return f"550 5.1.1 <{address}> is nobody here"
        if address.startswith("later") and address not in self.put_off:
            self.put_off.add(address)
            return f"451 4.7.1 <{address}> is greylisted"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        address = envelope.rcpt_tos[0]
        if address.startswith("hangs") and address not in self.hanging:
            self.hanging.add(address)
            await asyncio.sleep(3600)
        mail = email.message_from_bytes(envelope.original_content, policy=email.policy.default)
        kept = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "tls": is_implicit or session.ssl is not None,
            "headers": {name.lower(): str(value) for name, value in mail.items()},
            "names": [name.lower() for name in mail.keys()],
            "type": mail.get_content_type(),
            "text": mail.get_body(("plain",)).get_content(),
            "html": mail.get_body(("html",)).get_content(),
            "raw": envelope.original_content.decode("latin-1"),
        }
        with open(file, "a") as out:
            out.write(json.dumps(kept) + "\n")
        return "250 OK"


def authenticate(server, session, envelope, mechanism, given):
    right = (given.login.decode(), given.password.decode()) == (private[2], private[3])
    return AuthResult(success=right, handled=False)


async def main():
    options = {}
    if private:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(private[0], private[1])
        options = {"auth_required": True, "authenticator": authenticate}
        options |= {"auth_require_tls": False} if is_implicit else {"tls_context": context, "require_starttls": True}
    keep = Keep()
    loop = asyncio.get_running_loop()
    tls = context if is_implicit else None
    server = await loop.create_server(lambda: SMTP(keep, hostname="mail.test", **options), "127.0.0.1", int(port), ssl=tls)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
