"""Saves the change of one purchase. pip install requests pynacl; python3 round-up.py BASE KEY_FILE PRICE_USD"""
import base64, hmac, json, sys, time
import requests
from nacl.signing import SigningKey

BASE, KEY_FILE, PRICE_USD = sys.argv[1:]
DEPLOYMENT = "sandbox, play money"  # On mainnet: the origin that you trust, such as https://roundup.example
MAX_LAMPORTS = 20_000_000  # The program signs no round-up that takes more, network fee included.
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
session = requests.Session()

def encode_base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text

def sign_text(key, purpose, text):
    if not text.startswith(f"Roundup {purpose} ({DEPLOYMENT}):"): sys.exit("Do not sign: it is a different text")
    return key.sign(text.encode()).signature

def call(path, body=None):
    answer = session.request("POST" if body else "GET", BASE + path, json=body, timeout=60).json()
    if not answer["ok"]: sys.exit(f"{answer['code']}: {answer['error']}")
    return answer["data"]

def check_message(message, shown, service):
    """Exits unless the message makes only the two transfers that the answer shows, within MAX_LAMPORTS."""
    end = 5 + 32 * message[4]
    keys, offset, transfers, units, price = [message[i:i + 32] for i in range(5, end, 32)], end + 33, [], 1_400_000, 0
    for _ in range(message[end + 32]):
        program, accounts = keys[message[offset]], message[offset + 2:][:message[offset + 1]]
        offset += 2 + len(accounts)
        data = message[offset + 1:][:message[offset]]
        offset += 1 + len(data)
        number = int.from_bytes(data[1:], "little")
        if encode_base58(program) == "ComputeBudget111111111111111111111111111111" and data[0] == 2: units = number
        elif encode_base58(program) == "ComputeBudget111111111111111111111111111111" and data[0] == 3: price = number
        elif program == bytes(32) and data[:4] == b"\2\0\0\0":
            transfers.append((keys[accounts[1]] == service, int.from_bytes(data[4:], "little")))
        else: sys.exit("Do not sign: there is an unknown instruction")
    saved, fee = shown["userInvestmentLamports"] + shown["activationLamports"], shown["serviceFeeLamports"]
    if message[:2] != b"\x80\1" or transfers != [(True, saved), (False, fee)] or fee * 100 > shown["roundUpLamports"] \
            or saved + fee + 5000 + (units + 20_000) // 2 + units * price // 1_000_000 > MAX_LAMPORTS: sys.exit("Do not sign: the amounts differ")

def execute(signed):
    """Sends the same bytes until the outcome is known. The same bytes can never pay twice."""
    while True:
        wait = 2
        try:
            response = session.post(BASE + "/api/swap/execute", json={"signedTransaction": signed}, timeout=60)
            answer, wait = response.json(), int(response.headers.get("retry-after", 2))
            if answer["ok"] and answer["data"]["confirmed"]: return answer["data"]["txSignature"]
            if not answer["ok"] and response.status_code not in (429, 502, 503, 504): sys.exit(answer["error"])
        except requests.RequestException as failure: print("sending the same bytes again:", failure)
        time.sleep(wait)

wallet = SigningKey(bytes(json.load(open(KEY_FILE))[:32]))  # A key file of the Solana CLI.
owner = encode_base58(bytes(wallet.verify_key))
signature = sign_text(wallet, "sign-in", call("/api/auth")["message"])
session.headers.update({"x-wallet": owner, "x-signature": base64.b64encode(signature).decode()})

# HKDF-SHA256 derives the service wallet's key. Neither the key nor this signature leaves the program.
texts = call("/api/wallet/derive")
extracted = hmac.digest(b"roundup/service-wallet/v1", sign_text(wallet, "service wallet v1", texts["message"]), "sha256")
service = SigningKey(hmac.digest(extracted, f"solana:{owner}:0".encode() + b"\1", "sha256"))
service_wallet = encode_base58(bytes(service.verify_key))
link = texts["link"].replace("{owner}", owner).replace("{publicKey}", service_wallet)
proof = sign_text(service, "service wallet v1 link", link)
call("/api/wallet/derive", {"publicKey": service_wallet, "proof": base64.b64encode(proof).decode()})

wrap = call("/api/wrap", {"txValueUsd": float(PRICE_USD), "userPubkey": owner, "serviceWalletPubkey": service_wallet})
if not wrap["transaction"]: sys.exit("There is no change to save.")
message = base64.b64decode(wrap["transaction"]["base64"])[65:]  # One signature of 64 bytes precedes the message.
check_message(message, wrap["breakdown"], bytes(service.verify_key))
print("saved:", execute(base64.b64encode(b"\1" + wallet.sign(message).signature + message).decode()))
