import json


def customer_of(environ):
    return {"id": "7 ü", "email": "ann@example.com"} if environ.get("HTTP_COOKIE") == "customer=ann" else None


def enqueue(webhook_id, event):
    with open("events", "a") as file:
        file.write(f"{webhook_id} {json.dumps(event, ensure_ascii=False)}\n")
