"""Secrets as developers paste them, and what looks like one and is none: written without having seen what is tested,
which was mended with them since.

`cases()` gives (shape, text, secret): the secret is a part of the text and must not be left in it.
`harmless()` gives texts in which nothing is a secret.
"""

# ruff: noqa: E501  a table of texts

import base64
import json
import random
import re
import string
from functools import partial

SEED = 20261122
dumps = partial(json.dumps, separators=(",", ":"))
R = random.Random(SEED)

HEX = "0123456789abcdef"
UP = string.ascii_uppercase
LO = string.ascii_lowercase
DG = string.digits
B62 = UP + LO + DG
B64 = B62 + "+/"
B64U = B62 + "-_"
B32 = UP + "234567"


def _s(alpha, n):
    return "".join(R.choice(alpha) for _ in range(n))


def _n(n):
    return R.randint(*n) if isinstance(n, tuple) else n


def hx(n):
    return lambda: _s(HEX, _n(n))


def HX(n):
    return lambda: _s("0123456789ABCDEF", _n(n))


def b62(n):
    return lambda: _mixed(B62, _n(n))


def b64u(n):
    return lambda: _mixed(B64U, _n(n))


def b64(nbytes):
    return lambda: base64.b64encode(R.randbytes(_n(nbytes))).decode()


def lown(n):
    return lambda: _s(LO + DG, _n(n))


def upn(n):
    return lambda: _s(UP + DG, _n(n))


def b32(n):
    return lambda: _s(B32, _n(n))


def low32(n):
    return lambda: _s(LO + "234567", _n(n))


def letters(n):
    return lambda: _s(UP + LO, _n(n))


def dig(n):
    return lambda: R.choice("123456789") + _s(DG, _n(n) - 1)


def _mixed(alpha, n):
    while True:
        v = _s(alpha, n)
        if n < 8 or (
            any(c in LO for c in v)
            and any(c in UP for c in v)
            and any(c in DG for c in v)
            and v[0] not in "-_"
            and v[-1] not in "-_"
        ):
            return v


def _uuid():
    h = _s(HEX, 32)
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-{R.choice('89ab')}{h[17:20]}-{h[20:]}"


def uid():
    return _uuid


def cat(*parts):
    return lambda: "".join(p if isinstance(p, str) else p() for p in parts)


def one(*gens):
    return lambda: R.choice(gens)()


WORDS = (
    "falcon tiger sunset rocket maple copper banana dragon purple winter harbor pepper cobalt pirate "
    "monkey shadow silver orange cactus marble thunder guitar biscuit coffee penguin walrus tractor "
    "velvet magnet puzzle"
).split()
NAMES = "Bella Rocky Oliver Lucia Mateo Hannah Sophie Jasper Milo Greta Stefan Nadia".split()
CORP = "Northwind Brightlane Kestrel Halcyon Lumio Ferrous Quarry Tidepool".split()
LEET = str.maketrans({"a": "4", "e": "3", "o": "0", "i": "1"})


def _human(sym):  # noqa: C901  one line a kind
    k = R.randrange(11)
    w, v = R.sample(WORDS, 2)
    s = R.choice(sym)
    if k == 0:
        return (
            R.choice(["Winter", "Summer", "Spring", "Autumn", "October", "January", "Monday"])
            + str(R.randint(2019, 2027))
            + s
        )
    if k == 1:
        return w.capitalize().translate(LEET) + s + str(R.randint(1, 99))
    if k == 2:
        return R.choice(["letmein", "iloveyou", "trustno", "qwerty", "welcome", "sesame", w, w]) + str(
            R.randint(11, 2024)
        )
    if k == 3:
        return R.choice(NAMES) + "_" + R.choice(NAMES) + str(R.randint(10, 99))
    if k == 4:
        return R.choice(CORP) + ("@" if "@" in sym else "-") + str(R.randint(100, 2026))
    if k == 5:
        return f"{w}-{v}-{R.randint(10, 99)}"
    if k == 6:
        return w.capitalize() + v.capitalize() + str(R.randint(10, 99)) + s
    if k == 7:
        return R.choice(["qwErty", "1qaz2WSX", "zaq1XSW2", "asdFGH", "Qw3rty"]) + s + str(R.randint(100, 9999))
    if k == 8:
        return R.choice(["P4ssw0rd", "Passw0rd", "Adm1n", "S3cret", "R00t"]) + s + str(R.randint(7, 999))
    if k == 9:
        return w + s + v.capitalize() + str(R.randint(10, 99))
    return _s(UP, 1) + _s(LO, 4) + s + _s(DG, 3) + _s(LO, 2)


def pw():
    """human-chosen, any symbol"""
    return _human("!@#$%&*?")


def pws():
    """human-chosen, safe in urls, xml, quotes, shell"""
    return _human("!.-_")


def pwr(n=(14, 24)):
    """password-manager style"""

    def f():
        while True:
            v = _s(B62 + "!#%*-_=+.", _n(n))
            if v[0] in B62 and v[-1] in B62 and any(c in DG for c in v) and any(c in "!#%*-_=+." for c in v):
                return v

    return f


def phrase():
    return " ".join(R.sample(WORDS, 4))


def pct():
    """url-encoded human password"""
    w, v = R.sample(WORDS, 2)
    return w.capitalize() + R.choice(["%40", "%21", "%23", "%24", "%26"]) + v + str(R.randint(10, 999))


def _b64u(b):
    return base64.urlsafe_b64encode(b).decode().rstrip("=")


def jwt(**claims):
    def f():
        c = {"sub": str(R.randint(1000, 999999)), "iat": R.randint(1700000000, 1790000000)}
        c.update(claims)
        h = {"alg": R.choice(["HS256", "RS256"]), "typ": "JWT"}
        sig = _mixed(B64U, 43 if h["alg"] == "HS256" else 342)
        return ".".join((_b64u(dumps(h).encode()), _b64u(dumps(c).encode()), sig))

    return f


def basic(user=None):
    return lambda: base64.b64encode(f"{user or R.choice(['admin', 'deploy', 'svc-ci'])}:{pw()}".encode()).decode()


def k8s():
    return base64.b64encode((pw() + R.choice(["", "\n"])).encode()).decode()


def azkey(mark, total):
    def f():
        if R.random() < 0.4:
            return base64.b64encode(R.randbytes(64 if total == 88 else 32)).decode()
        pad = "==" if total == 88 else "="
        return _mixed(B64, total - len(pad) - 6 - len(mark)) + mark + _s(B64, 5) + R.choice("AQgw048") + pad

    return f


def pem(kind, lines, width=64, nl="\n", end=True, indent="", pick=None):
    """-> (inserted text, secret line)"""
    start = {
        "RSA PRIVATE KEY": "MIIEpAIBAAKCAQEA",
        "EC PRIVATE KEY": "MHcCAQEEI",
        "PRIVATE KEY": "MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQ",
        "OPENSSH PRIVATE KEY": "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZWQyNTUxOQAAACB",
        "DSA PRIVATE KEY": "MIIBuwIBAAKBgQ",
        "ENCRYPTED PRIVATE KEY": "MIIFHDBOBgkqhkiG9w0BBQ0wQTApBgkqhkiG9w0BBQwwHAQI",
        "PGP PRIVATE KEY BLOCK": "lQdGBG",
    }[kind]

    def f():
        body = start + _s(B64, width * lines - len(start) - R.randint(1, 12))
        if end and "PGP" not in kind:
            body += "=="[: R.randint(0, 2)]
        ls = [body[i : i + width] for i in range(0, len(body), width)]
        i = R.randint(1, len(ls) - 1) if pick is None else pick
        sec = ls[i]
        head = [f"-----BEGIN {kind}-----"]
        if "PGP" in kind:
            head += [""]
            ls = ls + ["=" + _s(B64, 4)]
        tail = [f"-----END {kind}-----"] if end else []
        return (nl.join(indent + x if k else x for k, x in enumerate(head + ls + tail)), sec)

    return f


BIP = (
    "abandon ability absent absorb abstract account acid acoustic across actor adapt advice afford airport album "
    "amateur anchor ankle antenna apology arctic armor artist atom aunt autumn avocado bamboo banner basket beach "
    "below bicycle blanket blossom bonus border bracket brisk bubble cabin camera canyon carbon castle celery "
    "cherry circle clever cloud coconut comfort copper cradle cruise dance decade deer dinosaur dolphin donkey "
    "dragon eagle echo elbow ember engine erosion fabric faint feather fiction flame galaxy garlic ginger"
).split()


def bip(n):
    return lambda: " ".join(R.sample(BIP, n))


NOISE = {"h": HEX, "d": DG, "b": B62, "l": LO, "A": UP + DG, "s": B64, "n": LO + DG}


def _fill(t):
    def sub(m):
        k, n = m.group(1), m.group(2)
        if k == "u":
            return _uuid()
        if k == "w":
            return R.choice(WORDS)
        if k == "c":
            return R.choice(CORP).lower()
        return (R.choice("123456789") + _s(DG, int(n) - 1)) if k == "d" else _s(NOISE[k], int(n))

    return re.sub(r"‹([a-zA-Z])(\d*)›", sub, t)


SHAPES = []


def C(label, gen, text):
    SHAPES.append((label, gen, text))


# ---------------------------------------------------------------- prose
C("prose_pw_is", pw, "hey, the staging db password is § — can you check why the migration hangs?")
C("prose_log_in_with", pw, "You can log in with admin / § on the test box, then look at the cron page.")
C("prose_user_and_pw", pw, "Connect as user ‹w› with password § and list the tables please")
C("prose_creds_colon", pws, "creds for the jenkins box: jenkins-admin:§ (do not commit this)")
C("prose_pw_quoted", pw, 'I set the root password to "§" during install but mysql still rejects it.')
C("prose_pw_backtick", pw, "The WiFi password for the lab is `§`, put that in the flashing script.")
C("prose_changed_from_to", pw, "we rotated it yesterday, the old password was § and now nothing connects")
C("prose_my_api_key", b62(40), "my api key is § and the endpoint returns 403, what am I doing wrong?")
C("prose_heres_token", lown(32), "here's the token: §\nuse it to call the billing api and fetch last month's invoices")
C("prose_use_this_key", hx(32), "Please use this API key for the weather calls: §")
C("prose_secret_newline", hx(64), "This is the webhook signing secret:\n\n§\n\nWhy does my HMAC check fail?")
C("prose_passphrase", phrase, 'the gpg passphrase is "§", unlock the key before you sign the tag')
C("prose_pin", dig(6), "The vault door PIN is § for the admin panel, hardcode it for now")
C("prose_pwd_abbrev", pw, "usr: dbadmin\npwd: §\nhost: 10.4.‹d2›.12")
C("prose_pass_short", pw, "pass is § btw")
C("prose_parenthetical", pw, "SSH into bastion (user ubuntu, pw §) and tail the nginx log")
C("prose_slack_paste", pw, "[10:42] marta: what's the pw for grafana again?\n[10:43] jo: §\n[10:43] marta: thx")
C(
    "prose_bullets",
    pws,
    "- Host: sftp.‹c›.io\n- Port: 22\n- Username: reports\n- Password: §\n\nWrite a paramiko upload script.",
)
C("prose_markdown_table", pw, "| service | login | password |\n|---------|-------|----------|\n| rabbit  | ops   | § |")
C("prose_bold_label", pwr(), "**Password:** §\n**Login:** svc_reporting\nmake me a psycopg2 connect helper")
C("prose_dont_tell", pw, "don't share this but the prod admin login is superuser and the password's §")
C("prose_is_this_strong", pw, "Is § a strong enough password for the payroll database?")
C(
    "prose_forgot_reset",
    pw,
    "after the reset IT gave me a temporary password, §, and the LDAP bind still fails with error 49",
)
C("prose_access_code_equals", b62(24), "access token = § expires in december, add it to the collector config")
C("prose_bearer_mention", b64u(43), "I send it as a bearer token (§) and get invalid_token back")
C("prose_client_secret", b64u(40), "client id is ‹u› and the client secret is §, tenant is ‹u›")
C(
    "prose_private_key_hex",
    cat("0x", hx(64)),
    "deployer wallet private key: §\nsend 0.1 test eth to the faucet contract",
)
C("prose_mnemonic12", bip(12), "seed phrase for the hot wallet is: §")
C("prose_mnemonic24", bip(24), "Restore the ledger from this recovery phrase\n§\nand print the first address")
C("prose_otp_seed", b32(32), "the 2FA secret for the shared account is §, generate codes with pyotp")
C(
    "prose_license_key",
    cat(upn(5), "-", upn(5), "-", upn(5), "-", upn(5), "-", upn(5)),
    "Our licence key for the IDE server is §, please don't leak it; how do I activate offline?",
)
C("prose_de", pw, "Das Passwort für die Datenbank lautet § – warum schlägt der Login fehl?")
C("prose_fr", pw, "le mot de passe du compte admin est § mais la connexion échoue")
C("prose_es", pw, "la contraseña del servidor de pruebas es §, conéctate y revisa los logs")
C("prose_pt", pw, "a senha do banco é § e o usuário é app_rw")
C("prose_it", pw, "La password dell'utente postgres è § , puoi controllare pg_hba?")
C(
    "prose_error_paste_argv",
    pws,
    "it dies with: subprocess.CalledProcessError: Command '['mysqldump', '-u', 'root', '--password=§', 'shop']' returned non-zero exit status 2.",
)
C(
    "prose_traceback_dsn",
    pws,
    "sqlalchemy.exc.OperationalError: could not connect using postgresql://app:§@db-‹d1›.internal:5432/orders\n(Background on this error at: https://sqlalche.me/e/20/e3q8)",
)
C(
    "prose_ticket",
    pwr(),
    "Ticket OPS-‹d4›: new service account created.\nLogin svc-backup, initial password §. Please change on first login.",
)
C(
    "prose_shared_secret_ipsec",
    pwr((20, 32)),
    "The pre-shared key of the site-to-site VPN is § on both ends, phase 1 still times out",
)
C("prose_todo_comment", pw, "# TODO remove: temp admin password § until SSO works")
C("prose_comment_slashes", pw, "// login: qa@‹c›.io  password: §\nawait page.goto('/login')")
C("prose_key_on_own_line", b62(32), "API key:\n§\nRegion: eu-central-1")
C("prose_two_step", pw, "First type the username (‹w›) and then the password (§) when prompted.")
C("prose_passcode", dig(8), "zoom passcode for the incident bridge is §")
C(
    "prose_keystore",
    pws,
    "keystore password: §, key alias: upload. gradle says 'keystore was tampered with, or password was incorrect'",
)
C("prose_arrow", pws, "grafana → admin / §\nkibana → elastic / (same)")
C(
    "prose_authkey_question",
    hx(40),
    "why would the server say 'bad auth key' if I pass auth key § exactly as in the dashboard?",
)
C(
    "prose_session_cookie",
    b62(52),
    "I copied my session cookie from devtools: sessionid=§ — replay the export request with it",
)
C(
    "prose_recovery_codes",
    cat(lown(5), "-", lown(5)),
    "recovery codes for the github org account, first one is §, keep the rest offline",
)
C(
    "prose_encryption_key",
    b64(32),
    "we encrypt with AES-256-GCM and the encryption key is § (base64). Write the decrypt side in Go.",
)
C("prose_pw_without_colon", pw, "root password § on the new NAS")

# ---------------------------------------------------------------- python
C(
    "py_assign_pw",
    pw,
    "import psycopg2\nDB_PASSWORD = \"§\"\nconn = psycopg2.connect(host='db', user='app', password=DB_PASSWORD)",
)
C("py_kwarg_connect", pws, 'conn = pymysql.connect(host="10.0.0.‹d2›", user="root", password="§", db="shop")')
C(
    "py_dict_config",
    pwr(),
    "DATABASES = {'default': {'ENGINE': 'django.db.backends.postgresql', 'NAME': 'app', 'USER': 'app', 'PASSWORD': '§'}}",
)
C(
    "py_django_secret_key",
    lambda: "django-insecure-" + _s(LO + DG + "!@#$%^&*(-_=+)", 49) + "x",
    "SECRET_KEY = '§'\nDEBUG = True",
)
C("py_flask_secret", hx(48), "app = Flask(__name__)\napp.config['SECRET_KEY'] = '§'")
C("py_app_secret_bytes", b64u(24), "app.secret_key = b'§'")
C(
    "py_boto3_client",
    b64(30),
    "s3 = boto3.client('s3', aws_access_key_id='AKIA‹A16›',\n    aws_secret_access_key='§', region_name='us-east-1')",
)
C("py_requests_auth_tuple", pw, "r = requests.get('https://jira.‹c›.io/rest/api/2/myself', auth=('svc-jira', '§'))")
C(
    "py_requests_header",
    b62(40),
    "headers = {'Authorization': 'Bearer §', 'Accept': 'application/json'}\nrequests.get(url, headers=headers)",
)
C("py_os_environ_set", b62(36), "os.environ['SERVICE_API_KEY'] = '§'")
C("py_getenv_default", hx(32), "API_SECRET = os.getenv('API_SECRET', '§')")
C(
    "py_class_attr_typed",
    b64u(32),
    'class Settings(BaseSettings):\n    debug: bool = False\n    jwt_secret: str = "§"\n    port: int = 8080',
)
C(
    "py_smtp_login",
    pws,
    "server = smtplib.SMTP('smtp.office365.com', 587)\nserver.starttls()\nserver.login('noreply@‹c›.io', '§')",
)
C("py_paramiko", pw, "ssh.connect('192.168.1.‹d2›', port=22, username='pi', password='§', timeout=10)")
C(
    "py_fernet",
    lambda: _mixed(B64U, 43) + "=",
    "from cryptography.fernet import Fernet\nf = Fernet(b'§')\nprint(f.decrypt(blob))",
)
C("py_hmac_new", hx(64), "sig = hmac.new(b'§', payload, hashlib.sha256).hexdigest()  # shared secret from partner")
C("py_if_compare", pw, "if request.form['password'] == '§':\n    session['admin'] = True")
C("py_fstring_url", b62(32), 'url = f"https://api.‹c›.io/v2/items?api_key=§&page={page}"')
C("py_jwt_encode", b64u(48), "token = jwt.encode({'sub': user.id}, '§', algorithm='HS256')")
C("py_pytest_fixture", pw, '@pytest.fixture\ndef creds():\n    return {"username": "qa_bot", "passwd": "§"}')
C(
    "py_openai_client",
    lambda: "sk-proj-" + _s(B64U, 74) + "T3BlbkFJ" + _mixed(B64U, 74),
    'from openai import OpenAI\nclient = OpenAI(api_key="§")',
)
C(
    "py_anthropic_client",
    lambda: "sk-ant-api03-" + _mixed(B64U, 93) + "AA",
    "client = anthropic.Anthropic(\n    api_key='§',\n)",
)
C(
    "py_repr_dataclass",
    pws,
    "print(cfg) gives Config(host='db1', port=5432, user='etl', password='§', sslmode='require')",
)
C(
    "py_create_engine",
    pws,
    'engine = create_engine("mysql+pymysql://report:§@mysql-ro.‹c›.io/analytics?charset=utf8mb4")',
)

# ---------------------------------------------------------------- js / ts
C("js_const_apikey", b62(32), "const API_KEY = '§';\nfetch(`https://api.maps.‹c›.io/geocode?q=${q}&key=${API_KEY}`)")
C("js_object_prop", pws, "const pool = new Pool({ host: 'localhost', user: 'postgres', password: '§', max: 10 });")
C(
    "js_axios_header",
    b62(40),
    "axios.get('/v1/users', { headers: { 'X-Api-Key': '§' } }).then(r => console.log(r.data))",
)
C("js_process_env_fallback", b64u(36), "const secret = process.env.SESSION_SECRET || '§';")
C("js_express_session", pwr(), "app.use(session({ secret: '§', resave: false, saveUninitialized: true }));")
C("js_template_bearer", jwt(role="admin"), "headers: { Authorization: `Bearer §` }")
C(
    "js_mongoose",
    pws,
    "mongoose.connect('mongodb+srv://appuser:§@cluster0.‹n5›.mongodb.net/prod?retryWrites=true&w=majority')",
)
C("js_nodemailer", pws, "nodemailer.createTransport({ service: 'gmail', auth: { user: 'alerts@‹c›.io', pass: '§' } })")
C(
    "js_gmail_app_password",
    lambda: " ".join(_s(LO, 4) for _ in range(4)),
    "auth: { user: 'build.‹c›@gmail.com', pass: '§' } // gmail app password",
)
C("ts_private_readonly", b62(44), "export class ApiService {\n  private readonly clientSecret: string = '§';\n}")
C("ts_enum_like_config", hx(40), 'export const environment = {\n  production: true,\n  apiToken: "§",\n};')
C("js_localstorage", jwt(scope="write"), "localStorage.setItem('access_token', '§')")
C("js_jwt_sign", pw, "const token = jwt.sign({ id: user.id }, '§', { expiresIn: '1h' });")
C("js_stripe_ctor", cat("sk_live_51", b62(97)), "const stripe = require('stripe')('§');")
C("js_twilio_ctor", hx(32), "const client = require('twilio')('AC‹h32›', '§');")
C(
    "js_firebase_config",
    cat("AIza", b64u(35)),
    'const firebaseConfig = {\n  apiKey: "§",\n  authDomain: "‹w›-‹d3›.firebaseapp.com",\n  projectId: "‹w›-‹d3›"\n};',
)
C("js_curl_like_fetch_basic", basic(), "fetch(url, { headers: { 'Authorization': 'Basic §' } })")
C(
    "js_playwright_fill",
    pw,
    "await page.fill('#user', 'qa@‹c›.io');\nawait page.fill('#password', '§');\nawait page.click('button[type=submit]');",
)
C("js_cypress_type", pw, "cy.get('input[name=password]').type('§')")
C(
    "js_discord_login",
    lambda: _b64u(("1" + _s(DG, 17)).encode()) + "." + _mixed(B64U, 6) + "." + _mixed(B64U, 38),
    "client.once('ready', () => console.log('up'));\nclient.login('§');",
)

# ---------------------------------------------------------------- go / java / ruby / php / c# / rust / others
C("go_const", hx(64), 'package main\n\nconst signingKey = "§"')
C("go_struct_literal", pws, 'cfg := mysql.Config{User: "root", Passwd: "§", Net: "tcp", Addr: "127.0.0.1:3306"}')
C("go_sql_open_dsn", pws, 'db, err := sql.Open("mysql", "app:§@tcp(10.2.0.‹d2›:3306)/orders?parseTime=true")')
C("go_header_set", b62(36), 'req.Header.Set("Authorization", "token §")')
C("go_redis_options", pwr(), 'rdb := redis.NewClient(&redis.Options{Addr: "cache:6379", Password: "§", DB: 0})')
C("go_byte_slice_secret", pw, 'var jwtKey = []byte("§")')
C("go_lib_pq_kv", pws, 'connStr := "host=db user=svc password=§ dbname=core sslmode=disable"')
C("go_setbasicauth", pw, 'req.SetBasicAuth("deployer", "§")')
C("java_static_final", b64u(40), 'private static final String API_SECRET = "§";')
C("java_drivermanager", pws, 'Connection c = DriverManager.getConnection("jdbc:postgresql://db:5432/app", "app", "§");')
C(
    "java_spring_properties",
    pws,
    "spring.datasource.url=jdbc:mysql://db:3306/crm\nspring.datasource.username=crm\nspring.datasource.password=§",
)
C("java_value_default", b62(32), '@Value("${payment.api-key:§}")\nprivate String paymentApiKey;')
C("java_setter", pwr(), 'ds.setUsername("hr");\nds.setPassword("§");')
C("java_char_array", pws, 'char[] keyPassword = "§".toCharArray();\nks.load(in, keyPassword);')
C("java_basic_credentials", b64(30), 'new BasicAWSCredentials("AKIA‹A16›", "§")')
C("java_secretkeyspec", b62(16), 'SecretKeySpec key = new SecretKeySpec("§".getBytes(), "AES");')
C("kotlin_val", pws, 'val dbPassword = "§"\nHikariConfig().apply { username = "app"; password = dbPassword }')
C(
    "kotlin_gradle_signing",
    pws,
    'signingConfigs {\n    create("release") {\n        storePassword = "§"\n        keyAlias = "upload"\n    }\n}',
)
C("scala_config_string", b64u(44), 'val cfg = ConfigFactory.parseString("""play.http.secret.key = "§" """)')
C("ruby_constant", hx(32), "MAILER_API_KEY = '§'.freeze")
C(
    "ruby_symbol_hash",
    pws,
    "ActiveRecord::Base.establish_connection(adapter: 'mysql2', username: 'root', password: '§', database: 'shop')",
)
C("ruby_hashrocket", b62(40), "config = { :access_token => '§', :timeout => 5 }")
C("ruby_rails_secret_key_base", hx(128), "production:\n  secret_key_base: §")
C("ruby_rails_master_key", hx(32), "$ cat config/master.key\n§\n$ bin/rails credentials:edit")
C("ruby_env_fetch", b62(32), "Stripe.api_version = '2024-06-20'\ntoken = ENV.fetch('PARTNER_TOKEN', '§')")
C("ruby_devise_pepper", hx(128), "config.pepper = '§'")
C("php_define_db", pws, "define('DB_USER', 'wp');\ndefine('DB_PASSWORD', '§');\ndefine('DB_HOST', 'localhost');")
C(
    "php_wp_salt",
    lambda: _s(B62 + "!@#%^&*()-_=+[]{}|;:,.?~", 63) + "x",
    "define('AUTH_KEY',         '§');\ndefine('WP_DEBUG', false);",
)
C("php_pdo_new", pws, "$pdo = new PDO('mysql:host=localhost;dbname=shop', 'shopuser', '§');")
C("php_mysqli", pws, '$db = mysqli_connect("localhost", "root", "§", "forum");')
C("php_array_arrow", b62(32), "'mailgun' => [\n    'domain' => 'mg.‹c›.io',\n    'secret' => '§',\n],")
C("php_laravel_app_key", cat("base64:", b64(32)), "APP_NAME=Shop\nAPP_ENV=production\nAPP_KEY=§\nAPP_DEBUG=false")
C("php_variable", pw, "<?php\n$smtp_pass = '§';\n$mail->Password = $smtp_pass;")
C("php_curl_setopt_userpwd", pws, 'curl_setopt($ch, CURLOPT_USERPWD, "api:§");')
C(
    "cs_connstring_const",
    pws,
    'const string Conn = "Server=sql01;Database=Erp;User Id=sa;Password=§;TrustServerCertificate=True";',
)
C("cs_networkcredential", pw, 'client.Credentials = new NetworkCredential("svc_ftp", "§");')
C(
    "cs_appsettings_json",
    pws,
    '"ConnectionStrings": {\n  "Default": "Data Source=sql.‹c›.io;Initial Catalog=Hr;User ID=hrapp;Password=§"\n}',
)
C("cs_default_request_header", b62(48), 'http.DefaultRequestHeaders.Add("X-Functions-Key", "§");')
C(
    "cs_azure_keycredential",
    hx(32),
    'var client = new OpenAIClient(new Uri("https://‹c›.openai.azure.com"), new AzureKeyCredential("§"));',
)
C(
    "cs_clientsecretcredential",
    lambda: _s(B62, 3) + R.choice(DG) + "Q~" + _mixed(B64U + ".", 34),
    'var cred = new ClientSecretCredential("‹u›", "‹u›", "§");',
)
C("rust_const_str", b64u(40), 'const AUTH_TOKEN: &str = "§";')
C("rust_let_string", pw, 'let password = String::from("§");\nlet cfg = Config::new().user("app").password(&password);')
C("rust_bearer_auth", b62(40), 'let res = client.get(url).bearer_auth("§").send().await?;')
C("rust_basic_auth_some", pw, 'client.post(url).basic_auth("svc", Some("§"))')
C("rust_sqlx_url", pws, 'let pool = PgPool::connect("postgres://orders:§@pg.internal/orders").await?;')
C("swift_let", b62(32), 'let apiSecret = "§"\nrequest.addValue(apiSecret, forHTTPHeaderField: "X-Api-Secret")')
C("dart_const", b62(40), "static const String mapToken = '§'; // private server token")
C("elixir_config", b64(48), 'config :my_app, MyAppWeb.Endpoint,\n  secret_key_base: "§"')
C("erlang_cookie", lambda: _s(UP, 20), "erl -name node1@10.0.0.‹d2› -setcookie §")
C("perl_dbi", pws, "my $dbh = DBI->connect('dbi:Pg:dbname=app', 'app', '§', { RaiseError => 1 });")
C("lua_redis_auth", pwr(), 'local ok, err = red:auth("§")')
C("r_dbconnect", pws, "con <- dbConnect(RMariaDB::MariaDB(), user = 'analyst', password = '§', host = 'dw')")
C("c_define", hx(32), '#define WIFI_SSID "lab"\n#define CLOUD_API_KEY "§"')
C("arduino_wifi", pws, 'const char* ssid = "HomeNet";\nconst char* password = "§";\nWiFi.begin(ssid, password);')
C("groovy_jenkinsfile", pwr(), "environment {\n    NEXUS_USER = 'ci'\n    NEXUS_PASSWORD = '§'\n}")
C("vba_adodb", pws, 'cn.Open "Provider=SQLOLEDB;Data Source=SRV;Initial Catalog=Fin;User ID=fin;Password=§;"')
C("objc_nsstring", b62(32), 'static NSString *const kAppSecret = @"§";')

# ---------------------------------------------------------------- sql
C("sql_create_user_mysql", pw, "CREATE USER 'etl'@'%' IDENTIFIED BY '§';\nGRANT SELECT ON dw.* TO 'etl'@'%';")
C("sql_alter_role_pg", pw, "ALTER ROLE reporting WITH LOGIN PASSWORD '§';")
C("sql_create_login_mssql", pw, "CREATE LOGIN appsvc WITH PASSWORD = '§', CHECK_POLICY = OFF;")
C("sql_oracle_identified", pws, 'ALTER USER scott IDENTIFIED BY "§" ACCOUNT UNLOCK;')
C("sql_set_password", pw, "SET PASSWORD FOR 'root'@'localhost' = PASSWORD('§');")
C("sql_insert_user", pw, "INSERT INTO users (email, password, role) VALUES ('boss@‹c›.io', '§', 'admin');")
C("sql_pgcrypto", pws, "SELECT pgp_sym_decrypt(ssn, '§') FROM people LIMIT 5; -- key is the prod one")
C(
    "sql_snowflake_stage",
    b64(30),
    "CREATE STAGE raw URL='s3://‹c›-raw/' CREDENTIALS=(AWS_KEY_ID='AKIA‹A16›' AWS_SECRET_KEY='§');",
)
C(
    "sql_dblink",
    pws,
    "SELECT * FROM dblink('host=10.1.1.‹d1› dbname=legacy user=ro password=§', 'select 1') AS t(x int);",
)
C("sql_update_setting", b62(32), "UPDATE settings SET value = '§' WHERE name = 'smtp_password';")

# ---------------------------------------------------------------- shell / powershell
C("sh_export", b62(40), "export API_TOKEN=§\n./run.sh --env prod")
C("sh_export_quoted_pw", pw, "export DB_PASS='§'")
C("sh_inline_env", pws, "PGPASSWORD=§ psql -h db.‹c›.io -U app -d core -c 'select now()'")
C("sh_echo_pipe_docker_login", cat("dckr_pat_", b64u(27)), "echo '§' | docker login -u ‹c› --password-stdin")
C("sh_echo_sudo", pw, "echo '§' | sudo -S systemctl restart nginx")
C("sh_chpasswd", pw, "echo 'deploy:§' | chpasswd")
C("sh_heredoc_netrc", b62(40), "cat > ~/.netrc <<EOF\nmachine api.‹c›.io\nlogin bot\npassword §\nEOF")
C("sh_case_default_param", hx(32), "TOKEN=${TOKEN:-§}")
C("sh_expect_send", pw, 'expect "Password:"\nsend "§\\r"')
C("sh_read_history", pws, "  501  mysql -uroot -p§ shop < dump.sql\n  502  history | grep mysql")
C("sh_xtrace_output", b62(40), "+ curl -s -H 'PRIVATE-TOKEN: §' https://git.‹c›.io/api/v4/projects\n+ jq length")
C(
    "ps_securestring",
    pw,
    "$pwd = ConvertTo-SecureString \"§\" -AsPlainText -Force\n$cred = New-Object PSCredential('CORP\\svc', $pwd)",
)
C("ps_env", b62(36), '$env:NUGET_API_KEY = "§"')
C("ps_setx", b62(32), 'setx SERVICE_TOKEN "§" /M')
C("ps_invoke_restmethod", jwt(aud="api"), 'Invoke-RestMethod -Uri $uri -Headers @{ Authorization = "Bearer §" }')
C("bat_set", pws, "@echo off\nset FTP_PASSWORD=§\nftp -s:up.txt")
C("win_net_use", pws, "net use Z: \\\\filer01\\share § /user:CORP\\backup")
C("win_cmdkey", pws, "cmdkey /add:srv-db01 /user:CORP\\dba /pass:§")
C("fish_set", b62(40), "set -gx LINODE_TOKEN §")

# ---------------------------------------------------------------- iac / config
C("tf_variable_default", pws, 'variable "db_password" {\n  type    = string\n  default = "§"\n}')
C(
    "tf_provider_aws",
    b64(30),
    'provider "aws" {\n  region     = "eu-west-1"\n  access_key = "AKIA‹A16›"\n  secret_key = "§"\n}',
)
C("tf_rds_password", pwr(), 'resource "aws_db_instance" "main" {\n  username = "root"\n  password = "§"\n}')
C("tf_tfvars", lambda: _s(B62, 14) + ".atlasv1." + _mixed(B62, 67), 'org       = "‹c›"\ntfe_token = "§"')
C("tf_plan_diff", pwr(), '  ~ resource "azurerm_sql_server" "x" {\n      ~ administrator_login_password = "§" -> null')
C("yaml_password_plain", pws, "database:\n  host: db\n  user: app\n  password: §")
C("yaml_quoted_token", b62(40), 'notifier:\n  channel: ops\n  token: "§"')
C("yaml_k8s_secret_data", k8s, "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\ndata:\n  password: §")
C("yaml_k8s_stringdata", pws, "kind: Secret\nstringData:\n  username: app\n  redis-password: §")
C("yaml_k8s_env_value", pwr(), 'env:\n- name: DB_PASSWORD\n  value: "§"\n- name: LOG_LEVEL\n  value: debug')
C(
    "yaml_k8s_dockerconfigjson",
    lambda: base64.b64encode(dumps({"auths": {"ghcr.io": {"auth": basic()()}}}).encode()).decode(),
    "type: kubernetes.io/dockerconfigjson\ndata:\n  .dockerconfigjson: §",
)
C("yaml_compose_env_list", pws, "services:\n  db:\n    image: mysql:8\n    environment:\n      - MYSQL_ROOT_PASSWORD=§")
C(
    "yaml_compose_env_map",
    pws,
    "    environment:\n      POSTGRES_USER: app\n      POSTGRES_PASSWORD: §\n      POSTGRES_DB: app",
)
C("yaml_compose_command", pwr(), "redis:\n  image: redis:7\n  command: redis-server --requirepass §")
C("yaml_gha_env", cat("npm_", b62(36)), "- run: npm publish\n  env:\n    NODE_AUTH_TOKEN: §")
C(
    "yaml_gha_with",
    cat("ghp_", b62(36)),
    "- uses: actions/checkout@v4\n  with:\n    repository: ‹c›/infra\n    token: §",
)
C("yaml_gitlab_ci_variables", pwr(), 'variables:\n  DEPLOY_ENV: prod\n  SSH_PASSPHRASE: "§"')
C("yaml_ansible_vars", pw, "- hosts: web\n  vars:\n    ansible_user: root\n    ansible_become_password: '§'")
C("ini_ansible_inventory", pws, "[web]\n10.0.3.‹d2› ansible_user=admin ansible_ssh_pass=§")
C("yaml_helm_values", pwr(), 'auth:\n  enabled: true\n  rootPassword: "§"\n  replicationUser: repl')
C("yaml_kubeconfig_token", jwt(iss="kubernetes/serviceaccount"), "users:\n- name: ci\n  user:\n    token: §")
C(
    "yaml_kubeconfig_client_key_data",
    lambda: base64.b64encode(b"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA" + _s(B64, 500).encode()).decode(),
    "- name: admin\n  user:\n    client-key-data: §",
)
C("yaml_flow_mapping", pws, "smtp: {host: mail.‹c›.io, user: robot, pass: §, tls: true}")
C("yaml_alertmanager", pws, "smtp_auth_username: 'alerts'\nsmtp_auth_password: '§'\nsmtp_require_tls: true")
C("yaml_prometheus_basic", pws, "basic_auth:\n  username: prom\n  password: §")
C("yaml_openapi_client", b64u(32), "oauth2:\n  client_id: web-portal\n  client_secret: §")
C("docker_env", pws, 'FROM node:20\nENV JWT_SECRET=§\nCMD ["node", "server.js"]')
C(
    "docker_arg",
    cat("glpat-", b64u(20)),
    "ARG GITLAB_TOKEN=§\nRUN pip install git+https://oauth2:${GITLAB_TOKEN}@gitlab.com/‹c›/lib.git",
)
C("docker_run_curl", b62(40), 'RUN curl -H "Authorization: Bearer §" -o /opt/agent.tgz https://dl.‹c›.io/agent.tgz')
C("docker_config_auth", basic("ciuser"), '{"auths": {"registry.‹c›.io": {"auth": "§"}}}')
C(
    "nginx_proxy_header",
    jwt(svc="edge"),
    'location /api/ {\n  proxy_set_header Authorization "Bearer §";\n  proxy_pass http://backend;\n}',
)
C("nginx_secure_link", pws, 'secure_link_md5 "$secure_link_expires$uri §"; # link secret')
C("nginx_if_key", b62(32), 'if ($http_x_api_key != "§") { return 403; }')
C("apache_htpasswd_bcrypt", lambda: "$2y$10$" + _s("./" + B62, 53), "# .htpasswd\nadmin:§")
C("haproxy_userlist", pws, "userlist ops\n  user admin insecure-password §")
C("ini_section_pw", pws, "[client]\nuser=root\npassword=§\nhost=localhost")
C("ini_aws_credentials", b64(30), "[default]\naws_access_key_id = AKIA‹A16›\naws_secret_access_key = §")
C(
    "ini_aws_session_token",
    lambda: "IQoJb3JpZ2luX2Vj" + base64.b64encode(R.randbytes(330)).decode(),
    "[sso]\naws_access_key_id=ASIA‹A16›\naws_session_token=§",
)
C("ini_pypirc", lambda: "pypi-AgEIcHlwaS5vcmcC" + _mixed(B64U, 156), "[pypi]\n  username = __token__\n  password = §")
C("ini_pip_conf", pws, "[global]\nindex-url = https://reader:§@pypi.‹c›.io/simple")
C("ini_php_ini", pws, "; php.ini\nmysqli.default_user = shop\nmysqli.default_pw = §")
C("ini_grafana", pws, "[security]\nadmin_user = admin\nadmin_password = §")
C("ini_supervisor_env", hx(40), 'environment=PATH="/usr/bin",WORKER_TOKEN="§"')
C("systemd_environment", pws, '[Service]\nEnvironment="DB_PASSWORD=§"\nExecStart=/usr/bin/app')
C(
    "conf_npmrc_authtoken",
    cat("npm_", b62(36)),
    "registry=https://registry.npmjs.org/\n//registry.npmjs.org/:_authToken=§",
)
C(
    "conf_npmrc_password_b64",
    lambda: base64.b64encode(_human("!@#").encode()).decode(),
    "//nexus.‹c›.io/repository/npm/:username=ci\n//nexus.‹c›.io/repository/npm/:_password=§",
)
C("conf_npmrc_auth", basic(), "always-auth=true\n_auth=§")
C("conf_yarnrc", b62(40), 'npmRegistryServer: "https://npm.‹c›.io"\nnpmAuthToken: §')
C("conf_pgpass", pws, "# ~/.pgpass\ndb.‹c›.io:5432:*:app:§")
C("conf_netrc_oneline", b62(40), "machine github.com login octo-‹w› password §")
C("conf_git_credentials", cat("gho_", b62(36)), "$ cat ~/.git-credentials\nhttps://‹w›-bot:§@github.com")
C("conf_wpa_supplicant", pws, 'network={\n  ssid="Office-5G"\n  psk="§"\n}')
C("conf_wireguard", b64(32), "[Interface]\nAddress = 10.8.0.2/24\nPrivateKey = §\n\n[Peer]\nPublicKey = ‹s43›=")
C("conf_wireguard_psk", b64(32), "[Peer]\nPublicKey = ‹s43›=\nPresharedKey = §\nAllowedIPs = 0.0.0.0/0")
C("conf_rsyncd_secrets", pws, "# /etc/rsyncd.secrets\nbackup:§")
C("conf_cifs_credentials", pws, "username=backup\npassword=§\ndomain=CORP")
C("conf_fstab_cifs", pws, "//nas/data /mnt/data cifs username=media,password=§,uid=1000 0 0")
C("conf_shadow", lambda: "$6$" + _s(B62, 16) + "$" + _s("./" + B62, 86), "root:§:19‹d3›:0:99999:7:::")
C("conf_redis_requirepass", pwr((20, 40)), "bind 0.0.0.0\nrequirepass §\nappendonly yes")
C("conf_redis_masterauth", pwr((20, 40)), "replicaof 10.0.0.5 6379\nmasterauth §")
C("conf_postfix_sasl", pws, "# /etc/postfix/sasl_passwd\n[smtp.‹c›.io]:587 relay@‹c›.io:§")
C(
    "conf_openvpn_auth",
    pws,
    "auth-user-pass file contains:\nvpnuser‹d2›\n§\nbut openvpn says AUTH_FAILED, is the password line right?",
)
C("conf_snmp_community", pws, "snmp-server community § RO")
C("conf_cisco_enable", pws, "hostname sw-core\nenable secret 0 §\nusername netops privilege 15")
C("conf_ipsec_secrets", pwr((20, 32)), '# ipsec.secrets\n203.0.113.‹d2› 198.51.100.7 : PSK "§"')
C("conf_chap_secrets", pws, '# /etc/ppp/chap-secrets\n"dsl‹d4›" * "§" *')
C("conf_mosquitto", pws, "remote_username bridge\nremote_password §")
C(
    "conf_kafka_jaas",
    pws,
    'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="orders" password="§";',
)
C("conf_ssl_keystore_props", pws, "ssl.keystore.location=/etc/kafka/ks.jks\nssl.keystore.password=§")
C("conf_gradle_properties", pws, "RELEASE_STORE_FILE=upload.jks\nRELEASE_STORE_PASSWORD=§\nRELEASE_KEY_ALIAS=upload")
C("conf_sonar_properties", cat("sqp_", hx(40)), "sonar.host.url=https://sonar.‹c›.io\nsonar.token=§")
C("conf_log4j_smtp", pws, "log4j.appender.mail.SMTPUsername=logs\nlog4j.appender.mail.SMTPPassword=§")
C("toml_password", pws, '[database]\nserver = "192.168.1.1"\nuser = "app"\npassword = "§"')
C("toml_cargo_registry", cat("cio", b62(32)), '[registry]\ntoken = "§"')
C("toml_streamlit_secrets", b62(48), '[connections.warehouse]\nprivate_api_key = "§"\nwarehouse = "COMPUTE_WH"')
C("toml_literal_string", pw, "[smtp]\nuser = 'robot'\npass = '§'")
C(
    "xml_maven_settings",
    pws,
    "<server>\n  <id>nexus</id>\n  <username>deploy</username>\n  <password>§</password>\n</server>",
)
C("xml_web_config_add", pws, '<add name="Main" connectionString="Server=db;Database=Crm;Uid=crm;Pwd=§;" />')
C("xml_appsettings_add", b62(40), '<add key="SmsApiKey" value="§" />')
C(
    "xml_nuget_config",
    pws,
    '<packageSourceCredentials><feed>\n  <add key="Username" value="ci" />\n  <add key="ClearTextPassword" value="§" />\n</feed></packageSourceCredentials>',
)
C("xml_attr_tomcat_user", pws, '<user username="tomcat" password="§" roles="manager-gui,admin-gui"/>')
C("xml_android_string", b62(40), '<string name="maps_server_secret">§</string>')
C("xml_plist", b62(32), "<key>AppSecret</key>\n<string>§</string>")
C("xml_soap_wsse", pws, '<wsse:Username>erp</wsse:Username>\n<wsse:Password Type="#PasswordText">§</wsse:Password>')
C(
    "xml_unattend",
    pws,
    "<AutoLogon><Username>Administrator</Username><Password><Value>§</Value><PlainText>true</PlainText></Password></AutoLogon>",
)
C("json_simple", pws, '{"host": "db", "user": "app", "password": "§", "port": 3306}')
C("json_nested_snake", b62(40), '{\n  "slack": {"enabled": true, "signing_secret": "§"},\n  "debug": false\n}')
C("json_camel", b64u(43), '{"tokenType":"Bearer","expiresIn":3600,"refreshToken":"§"}')
C("json_oauth_response", b64u(64), '{"access_token":"§","token_type":"bearer","expires_in":7200,"scope":"read"}')
C("json_escaped_in_string", pws, 'body: "{\\"user\\":\\"root\\",\\"password\\":\\"§\\"}"')
C(
    "json_name_value_pairs",
    b62(32),
    '"environment": [{"name": "LOG", "value": "info"}, {"name": "API_SECRET", "value": "§"}]',
)
C(
    "json_google_sa_escaped",
    pem("PRIVATE KEY", 26, nl="\\n"),
    '{"type": "service_account", "project_id": "‹w›-‹d5›", "private_key_id": "‹h40›",\n "private_key": "§\\n", "client_email": "ci@‹w›.iam.gserviceaccount.com"}',
)
C(
    "json_google_oauth_client",
    cat("GOCSPX-", b64u(28)),
    '{"installed":{"client_id":"‹d12›-‹n32›.apps.googleusercontent.com","client_secret":"§"}}',
)
C(
    "json_vscode_settings",
    pws,
    '"sqltools.connections": [{"name": "dev", "driver": "MySQL", "username": "dev", "password": "§"}]',
)
C("json_composer_auth", cat("ghp_", b62(36)), '{"github-oauth": {"github.com": "§"}}')
C(
    "json_aws_sts",
    lambda: base64.b64encode(R.randbytes(30)).decode(),
    '{"Credentials": {"AccessKeyId": "ASIA‹A16›", "SecretAccessKey": "§", "Expiration": "2026-03-01T10:00:00Z"}}',
)
C("json5_unquoted", pws, "{ user: 'admin', passwd: '§', /* rotate */ }")
C("env_plain", pws, "DB_HOST=localhost\nDB_PASSWORD=§\nDB_PORT=5432")
C("env_quoted", pw, 'SMTP_USER="robot"\nSMTP_PASS="§"')
C("env_nextauth", b64(32), "NEXTAUTH_URL=http://localhost:3000\nNEXTAUTH_SECRET=§")
C("env_jwt_secret", hx(64), "JWT_SECRET=§")
C("env_db_url", pws, 'DATABASE_URL="postgresql://web:§@db.‹c›.io:5432/web?schema=public"')
C("env_pem_escaped", pem("RSA PRIVATE KEY", 25, nl="\\n"), 'PRIVATE_KEY="§\\n"\nPORT=3000')
C("env_encryption_key", hx(64), "ENCRYPTION_KEY=§\nIV_LENGTH=16")
C("env_next_public_typo", b62(40), "NEXT_PUBLIC_SITE=https://‹c›.io\nCONTENT_PREVIEW_SECRET=§")
C("env_spaces", pws, "ADMIN_PASSWORD = §")
C("env_commented", hx(32), "# OLD_API_KEY=§\nAPI_URL=https://api.‹c›.io")
C("env_docker_secret_webhook", b64u(32), "WEBHOOK_SECRET=§ # shared with the partner")

# ---------------------------------------------------------------- urls
C("url_query_apikey", hx(32), "GET https://api.openweathermap.org/data/2.5/weather?q=Oslo&appid=§ gives 401")
C("url_query_access_token", b62(64), "curl 'https://graph.‹c›.io/me?fields=id,name&access_token=§'")
C("url_query_token_first", b64u(32), "wss://stream.‹c›.io/socket?token=§&v=2")
C("url_query_key_last", cat("AIza", b64u(35)), "https://maps.googleapis.com/maps/api/geocode/json?address=Berlin&key=§")
C("url_query_password", pct, "http://10.0.0.‹d2›/cgi-bin/login?user=admin&password=§&lang=en")
C("url_query_secret_hash", b62(32), "https://hooks.‹c›.io/deploy?secret=§#latest")
C(
    "url_reset_link",
    b64u(43),
    "reset mail contains https://app.‹c›.io/reset-password?reset_token=§ but clicking gives 404",
)
C("url_magic_link", jwt(typ="magic"), "https://app.‹c›.io/auth/magic?jwt=§")
C("url_userinfo_https", pws, "git clone https://‹w›:§@git.‹c›.io/core/api.git")
C("url_userinfo_token_only", cat("ghp_", b62(36)), "git clone https://§@github.com/‹c›/private-repo.git")
C("url_userinfo_xtoken", cat("ghs_", b62(36)), "git remote set-url origin https://x-access-token:§@github.com/‹c›/app")
C("url_userinfo_pct", pct, "proxy: http://corp%5Cjdoe:§@proxy.‹c›.io:8080")
C("url_slack_webhook", b62(24), "post to https://hooks.slack.com/services/T‹A10›/B‹A10›/§ when the build fails")
C("url_discord_webhook", b64u(68), "WEBHOOK=https://discord.com/api/webhooks/‹d18›/§")
C("url_teams_webhook", hx(32), "https://‹c›.webhook.office.com/webhookb2/‹u›@‹u›/IncomingWebhook/§/‹u›")
C(
    "url_telegram_api",
    lambda: dig(10)() + ":AA" + _mixed(B64U, 33),
    "https://api.telegram.org/bot§/sendMessage?chat_id=‹d9›&text=hi",
)
C(
    "url_azure_sas",
    lambda: base64.b64encode(R.randbytes(32)).decode().replace("+", "%2B").replace("/", "%2F").replace("=", "%3D"),
    "https://‹c›.blob.core.windows.net/dump?sv=2022-11-02&ss=b&srt=co&sp=rl&se=2026-12-31T00:00:00Z&sig=§",
)
C(
    "url_s3_presigned",
    hx(64),
    "anyone with this presigned link can read it: https://‹c›.s3.amazonaws.com/db.sql.gz?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=604800&X-Amz-Signature=§",
)
C(
    "url_azure_function_code",
    lambda: _mixed(B64U, 44) + "AzFu" + _s(B64U, 6) + "==",
    "https://‹c›-fn.azurewebsites.net/api/HttpTrigger1?code=§",
)
C(
    "url_sentry_dsn",
    hx(32),
    'Sentry.init({ dsn: "https://§@o‹d6›.ingest.sentry.io/‹d7›" }) — treat the DSN key as secret',
)
C("url_infura_path", hx(32), "const provider = new JsonRpcProvider('https://mainnet.infura.io/v3/§')")
C("url_alchemy_path", b64u(32), "RPC_URL=https://eth-mainnet.g.alchemy.com/v2/§")
C("url_otpauth", b32(32), "otpauth://totp/‹c›:ops?secret=§&issuer=‹c›&digits=6")
C("url_ftp", pws, "wget ftp://mirror:§@ftp.‹c›.io/nightly.tar.gz")
C(
    "url_oauth_fragment",
    b64u(80),
    "redirected to https://app.‹c›.io/callback#access_token=§&token_type=Bearer&state=xyz",
)
C(
    "url_calendar_private",
    hx(32),
    "my secret ical address is https://calendar.google.com/calendar/ical/dev%40‹c›.io/private-§/basic.ics",
)
C(
    "url_access_log_line",
    b62(40),
    '10.1.2.‹d2› - - [22/Nov/2026:10:01:22 +0000] "GET /v1/export?api_key=§ HTTP/1.1" 200 5123',
)

# ---------------------------------------------------------------- http headers and curl
C(
    "http_auth_bearer_raw",
    b64u(64),
    "POST /v1/orders HTTP/1.1\nHost: api.‹c›.io\nAuthorization: Bearer §\nContent-Type: application/json",
)
C("http_auth_basic_raw", basic(), "GET /status HTTP/1.1\nAuthorization: Basic §")
C("http_x_api_key", b62(40), "X-API-Key: §\nAccept: */*")
C("http_x_auth_token", hx(32), "> X-Auth-Token: §\n< HTTP/2 401")
C("http_cookie_session", cat("s%3A", b64u(32), ".", b64u(43)), "Cookie: theme=dark; connect.sid=§; lang=en")
C("http_set_cookie", jwt(sid="1"), "Set-Cookie: auth_token=§; HttpOnly; Secure; SameSite=Lax")
C("http_proxy_authorization", basic("proxyuser"), "CONNECT api.‹c›.io:443 HTTP/1.1\nProxy-Authorization: Basic §")
C(
    "http_apikey_scheme",
    lambda: base64.b64encode((_s(B62, 20) + ":" + _s(B62, 22)).encode()).decode(),
    "curl -H 'Authorization: ApiKey §' https://es.‹c›.io:9200/_cat/indices",
)
C(
    "http_splunk_hec",
    uid(),
    'curl -k https://splunk:8088/services/collector -H "Authorization: Splunk §" -d \'{"event":"hi"}\'',
)
C("http_ssws_okta", cat("00", b64u(40)), 'curl -H "Authorization: SSWS §" https://‹c›.okta.com/api/v1/users')
C("http_vault_token", cat("hvs.", b64u(95)), 'curl -H "X-Vault-Token: §" $VAULT_ADDR/v1/secret/data/app')
C("http_digest_response_pw", pws, "curl --digest -u cam:§ http://192.168.0.‹d2›/ISAPI/System/deviceInfo")
C("curl_u_pair", pw, "curl -u 'admin:§' -X PUT localhost:9200/_cluster/settings")
C("curl_user_long", pws, "curl --user ci-bot:§ https://artifacts.‹c›.io/upload -T build.zip")
C("curl_u_key_colon", cat("sk_test_", b62(24)), "curl https://api.stripe.com/v1/charges -u §:")
C("curl_d_form", pws, "curl -d 'grant_type=password&username=jo&password=§' https://idp.‹c›.io/token")
C(
    "curl_d_client_secret",
    b64u(40),
    "curl -X POST https://login.‹c›.io/oauth/token -d client_id=portal -d client_secret=§ -d grant_type=client_credentials",
)
C(
    "curl_json_body",
    pws,
    'curl -H \'Content-Type: application/json\' -d \'{"login":"root","password":"§"}\' http://localhost:8080/api/login',
)
C("curl_data_urlencode", pw, "curl --data-urlencode 'passwd=§' https://portal.‹c›.io/login")
C("curl_cookie_flag", b62(40), "curl -b 'JSESSIONID=§' https://erp.‹c›.io/report.csv")
C("httpie_auth", pws, "http -a svc:§ GET https://api.‹c›.io/health")
C("httpie_header", b62(40), "http GET api.‹c›.io/v3/me 'Api-Token:§'")
C("wget_password", pws, "wget --user=reader --password=§ https://files.‹c›.io/data.zip")
C("wget_header", b62(36), 'wget --header="Authorization: Bearer §" https://dl.‹c›.io/x.bin')
C("postman_env", b62(48), '{"key": "bearerToken", "value": "§", "type": "secret", "enabled": true}')
C("grpcurl_header", jwt(svc="orders"), "grpcurl -H 'authorization: bearer §' api.‹c›.io:443 list")
C("har_header_pair", jwt(u="7"), '{"name": "authorization", "value": "Bearer §"}, {"name": "accept", "value": "*/*"}')
C(
    "python_http_debug",
    b62(40),
    "send: b'GET /v1/me HTTP/1.1\\r\\nHost: api.‹c›.io\\r\\nAuthorization: Bearer §\\r\\n\\r\\n'",
)

# ---------------------------------------------------------------- cli flags
C("cli_mysql_p_glued", pws, "mysql -h db01 -u root -p§ -e 'show processlist'")
C("cli_mysqldump_password", pws, "mysqldump --user=backup --password=§ --all-databases > all.sql")
C("cli_mongosh", pws, "mongosh --host mongo1 -u admin -p '§' --authenticationDatabase admin")
C("cli_redis_a", pwr(), "redis-cli -h cache.‹c›.io -a '§' info memory")
C("cli_sshpass", pw, "sshpass -p '§' scp dump.sql root@10.0.0.‹d2›:/tmp/")
C("cli_docker_login_p", pws, "docker login registry.‹c›.io -u ci -p §")
C("cli_docker_run_e", pws, "docker run -d -e MYSQL_ROOT_PASSWORD=§ -p 3306:3306 mysql:8")
C(
    "cli_kubectl_from_literal",
    pws,
    "kubectl create secret generic db --from-literal=username=app --from-literal=password='§'",
)
C("cli_helm_set", pwr(), "helm upgrade pg bitnami/postgresql --set auth.postgresPassword='§' -n data")
C(
    "cli_az_sp_login",
    lambda: _s(B62, 3) + R.choice(DG) + "Q~" + _mixed(B64U + ".", 34),
    "az login --service-principal -u ‹u› -p '§' --tenant ‹u›",
)
C("cli_az_storage_key", azkey("+ASt", 88), "az storage blob list --account-name ‹c› --account-key § -c logs")
C("cli_aws_configure_set", b64(30), "aws configure set aws_secret_access_key §")
C("cli_aws_secretsmanager", pw, "aws secretsmanager put-secret-value --secret-id prod/db --secret-string '§'")
C(
    "cli_aws_rds_modify",
    pwr(),
    "aws rds modify-db-instance --db-instance-identifier prod --master-user-password '§' --apply-immediately",
)
C("cli_gh_secret_set", b62(40), 'gh secret set DEPLOY_TOKEN -b "§" -R ‹c›/web')
C("cli_openssl_passin", pws, "openssl rsa -in key.pem -passin pass:§ -out plain.pem")
C("cli_openssl_enc_k", pws, "openssl enc -aes-256-cbc -d -in backup.enc -k '§'")
C("cli_zip_P", pws, "zip -P § -r payroll.zip payroll/")
C("cli_7z_p", pws, "7z a -p§ -mhe=on vault.7z docs/")
C("cli_gpg_passphrase", pws, "gpg --batch --yes --passphrase '§' -d secrets.tar.gpg > secrets.tar")
C("cli_ldapsearch_w", pws, "ldapsearch -x -D cn=admin,dc=‹c›,dc=io -w '§' -b dc=‹c›,dc=io")
C("cli_smbclient", pws, "smbclient //nas/backup -U 'CORP/jo%§' -c ls")
C("cli_sqlcmd_P", pw, "sqlcmd -S tcp:sql01,1433 -U sa -P '§' -Q 'select @@version'")
C("cli_sqlplus", pws, "sqlplus system/§@//ora-db:1521/ORCLPDB1")
C("cli_rabbitmqctl", pws, "rabbitmqctl add_user worker § && rabbitmqctl set_permissions worker '.*' '.*' '.*'")
C("cli_htpasswd_b", pw, "htpasswd -bc /etc/nginx/.htpasswd staging '§'")
C("cli_keytool", pws, "keytool -list -keystore cacerts.jks -storepass §")
C("cli_signtool", pws, "signtool sign /f cert.pfx /p § /t http://timestamp.digicert.com app.exe")
C("cli_xfreerdp", pw, "xfreerdp /v:10.0.0.‹d2› /u:Administrator '/p:§' /cert:ignore")
C("cli_mosquitto", pws, "mosquitto_sub -h mqtt.‹c›.io -u sensor -P § -t '#'")
C("cli_twine", lambda: "pypi-AgEIcHlwaS5vcmcC" + _mixed(B64U, 150), "twine upload -u __token__ -p § dist/*")
C("cli_svn", pws, "svn co https://svn.‹c›.io/trunk --username jo --password '§' --non-interactive")
C("cli_terraform_var", pwr(), "terraform apply -var 'db_password=§' -auto-approve")
C("cli_ansible_extra_vars", pws, 'ansible-playbook site.yml -e "vault_pass=§ env=prod"')
C("cli_ipmitool", pws, "ipmitool -I lanplus -H 10.9.0.‹d2› -U ADMIN -P § chassis status")
C("cli_cf_login", pws, "cf login -a api.‹c›.io -u jo@‹c›.io -p '§'")
C("cli_vault_login", cat("hvs.", b64u(24)), "vault login §")
C("cli_vault_kv_put", pws, "vault kv put secret/app/db username=app password=§")
C("cli_ngrok_authtoken", lambda: "2" + _mixed(B62, 26) + "_" + _mixed(B62, 21), "ngrok config add-authtoken §")
C(
    "cli_tailscale_up",
    lambda: "tskey-auth-k" + _s(B62, 11) + "CNTRL-" + _mixed(B62, 32),
    "sudo tailscale up --authkey §",
)
C("cli_npm_config_set", cat("npm_", b62(36)), "npm config set //registry.npmjs.org/:_authToken §")
C("cli_token_flag_space", b62(40), "influx query --host https://influx.‹c›.io --token § 'buckets()'")
C("cli_api_key_equals", b62(32), "./sync --api-key=§ --dry-run")
C("cli_k6_env", b62(40), "k6 run -e AUTH_TOKEN=§ load.js")
C("cli_snowsql", pws, "SNOWSQL_PWD=§ snowsql -a ‹c›.eu-west-1 -u loader")
C("cli_restic", pws, "RESTIC_PASSWORD='§' restic -r s3:s3.amazonaws.com/‹c›-bak snapshots")
C("cli_kinit", pw, "echo '§' | kinit jo@CORP.‹A4›.IO")
C("cli_evil_winrm", pws, "evil-winrm -i 10.10.‹d2›.5 -u Administrator -p '§'")
C("cli_cypher_shell", pws, "cypher-shell -a bolt://graph:7687 -u neo4j -p §")
C("cli_clickhouse", pwr(), "clickhouse-client --host ch1 --user default --password '§' -q 'select 1'")
C("cli_fly_secrets", b64u(40), "flyctl secrets set SESSION_KEY=§ -a ‹c›-web")
C("cli_heroku_config", hx(40), "heroku config:set ROLLBAR_TOKEN=§ --app ‹c›-prod")
C(
    "cli_kafka_scram",
    pws,
    "kafka-configs.sh --alter --add-config 'SCRAM-SHA-512=[password=§]' --entity-type users --entity-name orders",
)

# ---------------------------------------------------------------- connection strings
C("dsn_postgres", pws, "postgres://app:§@pg-prod.‹c›.io:5432/app?sslmode=require")
C("dsn_postgres_pct", pct, "DATABASE_URL=postgres://app:§@db/app # is the password escaped correctly?")
C("dsn_mysql", pws, "mysql://root:§@127.0.0.1:3306/blog")
C("dsn_mongodb_replica", pws, "mongodb://svc:§@m1:27017,m2:27017,m3:27017/app?replicaSet=rs0&authSource=admin")
C("dsn_redis_nouser", b62(32), "REDIS_URL=redis://:§@redis-‹d5›.c‹d2›.eu-west-1-2.ec2.cloud.redislabs.com:16379/0")
C("dsn_rediss_upstash", lambda: "A" + _mixed(B62, 55), "rediss://default:§@eu1-‹w›-‹d5›.upstash.io:6379")
C("dsn_amqp", pws, "CELERY_BROKER_URL = 'amqp://worker:§@rabbit:5672/jobs'")
C("dsn_cloudamqp", b64u(32), "amqps://‹l8›:§@hawk.rmq.cloudamqp.com/‹l8›")
C(
    "dsn_mssql_ado",
    pw,
    "Server=tcp:‹c›.database.windows.net,1433;Initial Catalog=crm;User ID=crmadmin;Password=§;Encrypt=True;",
)
C("dsn_odbc", pw, "DRIVER={ODBC Driver 18 for SQL Server};SERVER=sql01;DATABASE=dw;UID=etl;PWD=§;Encrypt=no")
C("dsn_jdbc_query", pws, "jdbc:mysql://db:3306/app?user=app&password=§&useSSL=false")
C("dsn_jdbc_oracle", pws, "jdbc:oracle:thin:hr/§@ora01:1521:XE")
C("dsn_jdbc_sqlserver", pws, "jdbc:sqlserver://sql01:1433;databaseName=erp;user=erp;password=§;encrypt=false")
C("dsn_snowflake", pws, "snowflake://loader:§@‹c›-eu1/RAW/PUBLIC?warehouse=LOAD_WH&role=LOADER")
C("dsn_clickhouse", pws, "clickhouse://default:§@ch.‹c›.io:9440/events?secure=true")
C(
    "dsn_cockroach",
    b64u(22),
    "postgresql://‹w›:§@‹w›-‹w›-‹d4›.7tt.aws-eu-central-1.cockroachlabs.cloud:26257/defaultdb?sslmode=verify-full",
)
C(
    "dsn_neon",
    lambda: "npg_" + _mixed(B62, 12),
    "postgresql://neondb_owner:§@ep-‹w›-‹w›-‹n8›.eu-central-1.aws.neon.tech/neondb?sslmode=require",
)
C(
    "dsn_planetscale",
    cat("pscale_pw_", b64u(43)),
    'mysql://‹n20›:§@aws.connect.psdb.cloud/shop?ssl={"rejectUnauthorized":true}',
)
C("dsn_neo4j_py", pws, "driver = GraphDatabase.driver('neo4j+s://‹h8›.databases.neo4j.io', auth=('neo4j', '§'))")
C("dsn_elasticsearch", b62(24), "ES_HOSTS=https://elastic:§@es-01.‹c›.io:9200")
C("dsn_couchdb", pws, "http://couch:§@couchdb:5984/_all_dbs")
C(
    "dsn_cassandra_py",
    pws,
    "auth = PlainTextAuthProvider(username='cassandra', password='§')\nCluster(['10.0.0.7'], auth_provider=auth)",
)
C("dsn_nats", pws, 'nc, _ := nats.Connect("nats://edge:§@nats.‹c›.io:4222")')
C("dsn_mqtt", pws, "mqtt://device‹d3›:§@broker.‹c›.io:1883")
C("dsn_smtp_url", pct, "MAILER_DSN=smtp://robot:§@smtp.‹c›.io:587?encryption=tls")
C("dsn_ldap_bind", pws, "LDAP_BIND_DN=cn=svc,ou=apps,dc=‹c›,dc=io\nLDAP_BIND_PASSWORD=§")
C("dsn_libsql", jwt(a="rw"), "libsql://‹c›-db.turso.io?authToken=§")
C(
    "dsn_azure_storage",
    azkey("+ASt", 88),
    "DefaultEndpointsProtocol=https;AccountName=‹c›;AccountKey=§;EndpointSuffix=core.windows.net",
)
C("dsn_azure_cosmos", azkey("ACDb", 88), "AccountEndpoint=https://‹c›.documents.azure.com:443/;AccountKey=§;")
C(
    "dsn_azure_servicebus",
    azkey("+ASb", 44),
    "Endpoint=sb://‹c›.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=§",
)
C("dsn_azure_iothub", azkey("AIoT", 44), "HostName=‹c›.azure-devices.net;DeviceId=pump-‹d2›;SharedAccessKey=§")
C("dsn_azure_redis", azkey("AzCa", 44), "‹c›.redis.cache.windows.net:6380,password=§,ssl=True,abortConnect=False")
C("dsn_azure_appconfig", b64(32), "Endpoint=https://‹c›.azconfig.io;Id=ab1-l0-s0:‹b20›;Secret=§")
C("dsn_minio_py", pwr((20, 40)), "Minio('minio.‹c›.io:9000', access_key='backup', secret_key='§', secure=True)")
C("dsn_s3cmd", b64(30), "[default]\naccess_key = ‹A20›\nsecret_key = §\nhost_base = s3.‹c›.io")
C("dsn_sftp", pws, "sftp://uploader:§@sftp.‹c›.io:2222/incoming")
C("dsn_influx", lambda: _mixed(B64U, 86) + "==", "INFLUXDB_V2_URL=http://influx:8086\nINFLUXDB_V2_TOKEN=§")
C(
    "dsn_confluent",
    b64(48),
    "sasl.username=‹A16›\nsasl.password=§\nbootstrap.servers=pkc-‹n5›.eu-west-1.aws.confluent.cloud:9092",
)
C("dsn_bigip_trino", pws, "trino://analyst:§@trino.‹c›.io:443/hive/default")

# ---------------------------------------------------------------- pem keys
C("pem_rsa_full", pem("RSA PRIVATE KEY", 25), "my key is rejected:\n§")
C("pem_rsa_truncated_dots", pem("RSA PRIVATE KEY", 3, end=False), "§\n...\nwhy does openssl say 'bad base64 decode'?")
C("pem_rsa_cut_no_end", pem("RSA PRIVATE KEY", 5, end=False), "§")
C("pem_ec", pem("EC PRIVATE KEY", 3), "§\nconvert this to pkcs8 please")
C("pem_pkcs8", pem("PRIVATE KEY", 26), "§")
C("pem_openssh", pem("OPENSSH PRIVATE KEY", 5, width=70), "cat ~/.ssh/id_ed25519\n§")
C("pem_openssh_indented_yaml", pem("OPENSSH PRIVATE KEY", 5, width=70, indent="    "), "  ssh_key: |\n    §")
C("pem_pgp", pem("PGP PRIVATE KEY BLOCK", 5), "§")
C("pem_dsa", pem("DSA PRIVATE KEY", 7), "§\nis DSA still supported by sshd?")
C("pem_encrypted", pem("ENCRYPTED PRIVATE KEY", 8), "§")
C("pem_js_escaped", pem("PRIVATE KEY", 26, nl="\\n"), "const privateKey = '§\\n';")
C("pem_python_triple", pem("RSA PRIVATE KEY", 4), "KEY = '''§'''\nrsa.PrivateKey.load_pkcs1(KEY)")
C("pem_oneline_spaces", pem("EC PRIVATE KEY", 3, nl=" "), "the secret manager returns it on one line: §")
C("pem_crlf", pem("EC PRIVATE KEY", 3, nl="\r\n"), "from the windows box:\r\n§\r\n")
C("pem_go_raw", pem("EC PRIVATE KEY", 3), "var key = []byte(`§`)")
C("pem_email_quoted", pem("RSA PRIVATE KEY", 5, indent="> "), "> §")
C(
    "pem_base64_of_pem",
    lambda: base64.b64encode(
        ("-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEI" + _s(B64, 150) + "\n-----END EC PRIVATE KEY-----\n").encode()
    ).decode(),
    "TLS_KEY_B64=§",
)
C("pem_json_githubapp", pem("RSA PRIVATE KEY", 25, nl="\\n"), '{"appId": ‹d6›, "privateKey": "§"}')
C("pem_putty_ppk", lambda: _s(B64, 64), "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n§")
C("pem_age", lambda: "AGE-SECRET-KEY-1" + _s("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58), "# created: 2026-01-0‹d1›\n§")
C("pem_jwk", b64u(43), '{"kty":"EC","crv":"P-256","x":"‹b43›","y":"‹b43›","d":"§"}  <- private jwk we sign with')
C("pem_ssh_config_ppk_pass", pws, "Enter passphrase for /home/jo/.ssh/id_rsa: §\nIdentity added")

# ---------------------------------------------------------------- jwt
C("jwt_bare_question", jwt(name="Jo", admin=True), "decode this jwt for me: §")
C("jwt_curl", jwt(iss="auth"), 'curl -H "Authorization: Bearer §" https://api.‹c›.io/me')
C("jwt_python_var", jwt(role="svc"), "token = \"§\"\nprint(jwt.decode(token, options={'verify_signature': False}))")
C("jwt_log_line", jwt(uid=42), "2026-02-0‹d1› 11:02:33 DEBUG auth - validating §")
C("jwt_supabase_service_role", jwt(iss="supabase", role="service_role"), "SUPABASE_SERVICE_ROLE_KEY=§")
C("jwt_refresh_json", jwt(typ="refresh"), '{"refresh": "§"}')
C("jwt_graphql_ws", jwt(org="x"), '{"type":"connection_init","payload":{"authToken":"§"}}')

# ---------------------------------------------------------------- provider keys
C("prov_aws_akid", cat("AKIA", b32(16)), "which IAM user owns §? cloudtrail shows it in us-west-2")
C("prov_aws_secret_prose", b64(30), "AWS secret access key: § (user deploy-ci)")
C("prov_aws_console_csv", b64(30), "Access key ID,Secret access key\nAKIA‹A16›,§")
C(
    "prov_aws_bedrock",
    lambda: "ABSK" + base64.b64encode(("BedrockAPIKey-" + _s(B62, 80)).encode()).decode(),
    "export AWS_BEARER_TOKEN_BEDROCK=§",
)
C("prov_aws_mws", cat("amzn.mws.", uid()), "MWS auth token § stopped working after the migration to SP-API")
C("prov_gcp_api_key", cat("AIza", b64u(35)), "is this key restricted? §")
C("prov_gcp_access_token", cat("ya29.a0", b64u(180)), "gcloud auth print-access-token\n§")
C("prov_gcp_refresh", cat("1//0", b64u(98)), "refresh_token=§")
C("prov_gcp_hmac", b64(30), "gs_access_key_id = GOOG1E‹A55›\ngs_secret_access_key = §")
C(
    "prov_azure_client_secret",
    lambda: _s(B62, 3) + R.choice(DG) + "Q~" + _mixed(B64U + ".", 34),
    "AZURE_TENANT_ID=‹u›\nAZURE_CLIENT_ID=‹u›\nAZURE_CLIENT_SECRET=§",
)
C("prov_azure_devops_pat", low32(52), "azure devops PAT: §\nlist the pipelines of project ‹w›")
C("prov_azure_devops_pat84", lambda: _mixed(B62, 76) + "AZDO" + _s(B62, 4), "AZURE_DEVOPS_EXT_PAT=§")
C("prov_azure_acr", lambda: _mixed(B62 + "+/", 42) + "+ACR" + _s(B62, 6), "docker login ‹c›.azurecr.io -u ‹c› -p §")
C("prov_azure_cognitive", hx(32), "Ocp-Apim-Subscription-Key: §")
C("prov_github_ghp", cat("ghp_", b62(36)), "§ is my PAT, push the branch with it")
C(
    "prov_github_fine_grained",
    lambda: "github_pat_" + _mixed(B62, 22) + "_" + _mixed(B62, 59),
    "GH_TOKEN=§ gh repo list ‹c›",
)
C("prov_github_ghu", cat("ghu_", b62(36)), "user-to-server token §")
C("prov_github_ghr", cat("ghr_", b62(76)), '"refresh_token": "§"')
C("prov_gitlab_pat", cat("glpat-", b64u(20)), 'curl --header "PRIVATE-TOKEN: §" https://gitlab.com/api/v4/user')
C(
    "prov_gitlab_trigger",
    cat("glptt-", hx(40)),
    "curl -X POST -F token=§ -F ref=main https://gitlab.com/api/v4/projects/‹d6›/trigger/pipeline",
)
C("prov_gitlab_runner", cat("glrt-", b64u(20)), "gitlab-runner register --url https://gitlab.com --token §")
C("prov_gitlab_runner_legacy", cat("GR1348941", b64u(20)), "registration token is §")
C("prov_gitlab_deploy", cat("gldt-", b64u(20)), "docker login -u gitlab+deploy-token-‹d5› -p § registry.gitlab.com")
C(
    "prov_bitbucket_app_pw",
    lambda: "ATBB" + _mixed(B62, 24) + _s("0123456789ABCDEF", 8),
    "git clone https://jo:§@bitbucket.org/‹c›/api.git",
)
C("prov_slack_bot", lambda: f"xoxb-{dig(12)()}-{dig(13)()}-{_mixed(B62, 24)}", "SLACK_BOT_TOKEN=§")
C("prov_slack_user", lambda: f"xoxp-{dig(12)()}-{dig(12)()}-{dig(13)()}-{_s(HEX, 32)}", "client = WebClient(token='§')")
C(
    "prov_slack_app",
    lambda: f"xapp-1-A{_s(UP + DG, 10)}-{dig(13)()}-{_s(HEX, 64)}",
    'SocketModeHandler(app, "§").start()',
)
C("prov_slack_signing", hx(32), "slack signing secret §; verify the X-Slack-Signature header in flask")
C("prov_stripe_live", cat("sk_live_", b62(24)), 'stripe.api_key = "§"')
C("prov_stripe_restricted", cat("rk_live_51", b62(97)), "stripe listen --api-key §")
C("prov_stripe_whsec", cat("whsec_", b62(32)), 'const endpointSecret = "§";')
C("prov_twilio_auth", hx(32), "TWILIO_ACCOUNT_SID=AC‹h32›\nTWILIO_AUTH_TOKEN=§")
C(
    "prov_twilio_curl",
    hx(32),
    "curl -X POST https://api.twilio.com/2010-04-01/Accounts/AC‹h32›/Messages.json -u AC‹h32›:§",
)
C("prov_sendgrid", lambda: f"SG.{_mixed(B64U, 22)}.{_mixed(B64U, 43)}", "sgMail.setApiKey('§')")
C("prov_openai_legacy", lambda: "sk-" + _s(B62, 20) + "T3BlbkFJ" + _mixed(B62, 20), "OPENAI_API_KEY=§ python chat.py")
C("prov_openai_svcacct", lambda: "sk-svcacct-" + _s(B64U, 74) + "T3BlbkFJ" + _mixed(B64U, 74), "openai.api_key = '§'")
C(
    "prov_openai_admin",
    lambda: "sk-admin-" + _s(B64U, 58) + "T3BlbkFJ" + _mixed(B64U, 58),
    'curl https://api.openai.com/v1/organization/users -H "Authorization: Bearer §"',
)
C(
    "prov_anthropic_header",
    lambda: "sk-ant-api03-" + _mixed(B64U, 93) + "AA",
    "curl https://api.anthropic.com/v1/messages -H \"x-api-key: §\" -H 'anthropic-version: 2023-06-01'",
)
C("prov_anthropic_oauth", lambda: "sk-ant-oat01-" + _mixed(B64U, 93) + "AA", "CLAUDE_CODE_OAUTH_TOKEN=§")
C("prov_huggingface", cat("hf_", letters(34)), "huggingface-cli login --token §")
C("prov_groq", cat("gsk_", b62(20), "WGdyb3FY", b62(24)), "GROQ_API_KEY: §")
C("prov_xai", cat("xai-", b62(80)), "key = '§'  # grok")
C("prov_perplexity", cat("pplx-", b62(48)), "my perplexity key § hits a rate limit")
C("prov_replicate", cat("r8_", b62(37)), "export REPLICATE_API_TOKEN=§")
C("prov_openrouter", cat("sk-or-v1-", hx(64)), "baseURL: 'https://openrouter.ai/api/v1', apiKey: '§'")
C("prov_mistral", b62(32), "MISTRAL_API_KEY=§")
C("prov_cohere", b62(40), "co = cohere.Client('§')  # prod api key")
C("prov_langsmith", lambda: f"lsv2_pt_{_s(HEX, 32)}_{_s(HEX, 10)}", "LANGCHAIN_API_KEY=§")
C("prov_pinecone", lambda: f"pcsk_{_s(B62, 6)}_{_mixed(B62, 63)}", 'pc = Pinecone(api_key="§")')
C("prov_wandb", hx(40), "wandb login §")
C("prov_npm", cat("npm_", b62(36)), "npm whoami fails with §")
C("prov_pypi", lambda: "pypi-AgEIcHlwaS5vcmcC" + _mixed(B64U, 160), "UV_PUBLISH_TOKEN=§ uv publish")
C("prov_rubygems", cat("rubygems_", hx(48)), "---\n:rubygems_api_key: §")
C(
    "prov_nuget",
    lambda: "oy2" + low32(43)(),
    "dotnet nuget push app.1.0.0.nupkg -k § -s https://api.nuget.org/v3/index.json",
)
C("prov_dockerhub", cat("dckr_pat_", b64u(27)), "DOCKERHUB_TOKEN: §")
C("prov_telegram", lambda: dig(10)() + ":AA" + _mixed(B64U, 33), "bot = telebot.TeleBot('§')")
C(
    "prov_telegram_prose",
    lambda: dig(10)() + ":AA" + _mixed(B64U, 33),
    "BotFather gave me this token to access the HTTP API:\n§\nhow do I poll updates?",
)
C(
    "prov_discord_bot",
    lambda: _b64u(("1" + _s(DG, 18)).encode()) + "." + _mixed(B64U, 6) + "." + _mixed(B64U, 38),
    "DISCORD_TOKEN=§",
)
C("prov_shopify_admin", cat("shpat_", hx(32)), "X-Shopify-Access-Token: §")
C("prov_shopify_shared", cat("shpss_", hx(32)), "SHOPIFY_API_SECRET=§")
C("prov_mailgun_key", cat("key-", hx(32)), "curl -s --user 'api:§' https://api.mailgun.net/v3/mg.‹c›.io/messages")
C("prov_mailgun_new", lambda: f"{_s(HEX, 32)}-{_s(HEX, 8)}-{_s(HEX, 8)}", "MAILGUN_API_KEY=§")
C(
    "prov_mailchimp",
    lambda: _s(HEX, 32) + "-us" + str(R.randint(1, 21)),
    "mailchimp.setConfig({ apiKey: '§', server: 'us19' });",
)
C("prov_brevo", lambda: f"xkeysib-{_s(HEX, 64)}-{_mixed(B62, 16)}", "'api-key': '§'")
C("prov_resend", lambda: f"re_{_s(B62, 8)}_{_mixed(B62, 24)}", "const resend = new Resend('§');")
C("prov_postmark", uid(), "X-Postmark-Server-Token: §")
C("prov_digitalocean", cat("dop_v1_", hx(64)), "doctl auth init -t §")
C("prov_linode", hx(64), 'linode_token = "§"')
C("prov_hetzner", b62(64), "HCLOUD_TOKEN=§ hcloud server list")
C("prov_vercel", b62(24), "vercel deploy --prod --token §")
C("prov_vercel_blob", lambda: f"vercel_blob_rw_{_s(B62, 16)}_{_mixed(B62, 30)}", 'BLOB_READ_WRITE_TOKEN="§"')
C("prov_netlify", cat("nfp_", b62(36)), "netlify deploy --auth § --site ‹u›")
C("prov_supabase_sbp", cat("sbp_", hx(40)), "SUPABASE_ACCESS_TOKEN=§ supabase link")
C("prov_supabase_secret", lambda: f"sb_secret_{_mixed(B64U, 22)}_{_mixed(B64U, 8)}", "createClient(url, '§')")
C(
    "prov_datadog_api",
    hx(32),
    'DD_API_KEY=§ DD_SITE=datadoghq.eu bash -c "$(curl -L https://install.datadoghq.com/scripts/install_script_agent7.sh)"',
)
C("prov_datadog_app", hx(40), "DD-APPLICATION-KEY: §")
C("prov_newrelic_user", lambda: "NRAK-" + _s(UP + DG, 27), "NEW_RELIC_API_KEY=§")
C("prov_newrelic_license", lambda: _s(HEX, 36) + "NRAL", "license_key: '§'\napp_name: ‹c›-web")
C("prov_sentry_user", cat("sntryu_", hx(64)), "sentry-cli --auth-token § releases list")
C(
    "prov_sentry_org",
    lambda: (
        "sntrys_"
        + _b64u(dumps({"iat": R.randint(1700000000, 1790000000), "url": "https://sentry.io", "org": "x"}).encode())
        + "_"
        + _mixed(B64, 43)
    ),
    "SENTRY_AUTH_TOKEN=§",
)
C("prov_algolia_admin", hx(32), "const client = algoliasearch('‹A10›', '§'); // admin api key")
C("prov_cloudflare_token", b64u(40), "CLOUDFLARE_API_TOKEN=§ wrangler deploy")
C("prov_cloudflare_global", hx(37), "X-Auth-Email: ops@‹c›.io\nX-Auth-Key: §")
C("prov_cloudflare_origin_ca", lambda: f"v1.0-{_s(HEX, 24)}-{_s(HEX, 146)}", "X-Auth-User-Service-Key: §")
C(
    "prov_atlassian",
    lambda: "ATATT3xFfGF0" + _mixed(B64U, 171) + "=" + _s("0123456789ABCDEF", 8),
    "JIRA_EMAIL=jo@‹c›.io\nJIRA_API_TOKEN=§",
)
C(
    "prov_linear",
    cat("lin_api_", b62(40)),
    "curl https://api.linear.app/graphql -H 'Authorization: §' -d '{\"query\":\"{ viewer { id } }\"}'",
)
C("prov_notion_secret", cat("secret_", b62(43)), 'notion = Client(auth="§")')
C("prov_notion_ntn", lambda: "ntn_" + dig(11)() + _mixed(B62, 35), "NOTION_TOKEN=§")
C("prov_figma", cat("figd_", b64u(40)), "curl -H 'X-Figma-Token: §' https://api.figma.com/v1/me")
C("prov_databricks", cat("dapi", hx(32)), "[DEFAULT]\nhost = https://dbc-‹h8›-‹h4›.cloud.databricks.com\ntoken = §")
C("prov_databricks2", lambda: "dapi" + _s(HEX, 32) + "-2", "spark connect token is §")
C("prov_postman", lambda: f"PMAK-{_s(HEX, 24)}-{_s(HEX, 34)}", "newman run collection.json --postman-api-key §")
C("prov_planetscale", cat("pscale_tkn_", b64u(43)), "PLANETSCALE_SERVICE_TOKEN=§")
C("prov_doppler", cat("dp.pt.", b62(43)), "doppler run --token § -- npm start")
C("prov_grafana_sa", lambda: f"glsa_{_mixed(B62, 32)}_{_s(HEX, 8)}", "Authorization: Bearer §")
C(
    "prov_grafana_cloud",
    lambda: "glc_" + _b64u(dumps({"o": dig(6)(), "n": "ci", "k": _s(B62, 24), "m": {"r": "eu"}}).encode()),
    'password = "§"  # alloy remote_write',
)
C(
    "prov_terraform_cloud",
    lambda: _s(B62, 14) + ".atlasv1." + _mixed(B62, 67),
    'credentials "app.terraform.io" {\n  token = "§"\n}',
)
C("prov_fly", lambda: "FlyV1 fm2_" + base64.b64encode(R.randbytes(120)).decode(), 'FLY_API_TOKEN="§"')
C("prov_airtable", lambda: f"pat{_s(B62, 14)}.{_s(HEX, 64)}", "Airtable.configure({ apiKey: '§' });")
C("prov_square", cat("EAAA", b64u(60)), "square access token: §")
C("prov_square_secret", cat("sq0csp-", b64u(43)), "SQUARE_APP_SECRET=§")
C("prov_paypal", lambda: "E" + _mixed(B64U, 79), "paypal client_id A‹b79› secret §")
C(
    "prov_braintree",
    hx(32),
    "gateway = braintree.BraintreeGateway(merchant_id='‹n16›', public_key='‹n16›', private_key='§')",
)
C("prov_plaid", cat("access-production-", uid()), "plaid item access token § returns ITEM_LOGIN_REQUIRED")
C("prov_dropbox", cat("sl.", b64u(135)), "dbx = dropbox.Dropbox('§')")
C("prov_facebook", cat("EAAG", b62(170)), "page access token:\n§")
C(
    "prov_twitter_bearer",
    lambda: "AAAAAAAAAAAAAAAAAAAAA" + _mixed(B62, 40) + "%3D" + _mixed(B62, 50),
    "tweepy.Client(bearer_token='§')",
)
C("prov_twitter_secret", b62(50), "consumer_key=‹b25›\nconsumer_secret=§")
C(
    "prov_mapbox_sk",
    lambda: "sk." + _b64u(dumps({"u": "acme", "a": _s(LO + DG, 25)}).encode()) + "." + _mixed(B64U, 22),
    "mapboxgl.accessToken = '§'; // secret scope, oops",
)
C("prov_hubspot", cat("pat-na1-", uid()), "HUBSPOT_PRIVATE_APP_TOKEN=§")
C("prov_asana", lambda: f"1/{dig(16)()}:{_s(HEX, 32)}", "client = asana.Client.access_token('§')")
C("prov_trello", cat("ATTA", hx(72)), "https://api.trello.com/1/members/me/boards?key=‹h32›&token=§")
C("prov_zendesk", b62(40), "curl https://‹c›.zendesk.com/api/v2/tickets.json -u jo@‹c›.io/token:§")
C(
    "prov_intercom",
    lambda: base64.b64encode(("tok:" + _s(HEX, 8) + "_" + _s(HEX, 4) + "_4" + _s(HEX, 3) + ":1:0").encode()).decode(),
    "INTERCOM_ACCESS_TOKEN=§",
)
C("prov_typeform", lambda: f"tfp_{_mixed(B62, 44)}_{_mixed(B62, 14)}", "typeform token §")
C("prov_fastly", b64u(32), "Fastly-Key: §")
C("prov_snyk", uid(), "snyk auth §")
C("prov_codecov", uid(), "bash <(curl -s https://codecov.io/bash) -t §")
C("prov_circleci", lambda: f"CCIPAT_{_mixed(B62, 22)}_{_s(HEX, 40)}", "Circle-Token: §")
C("prov_buildkite", cat("bkua_", hx(40)), "BUILDKITE_API_TOKEN=§")
C("prov_artifactory", cat("AKCp", b62(69)), "X-JFrog-Art-Api: §")
C("prov_posthog", cat("phx_", b62(43)), "POSTHOG_PERSONAL_API_KEY=§")
C("prov_contentful", cat("CFPAT-", b64u(43)), "contentful space export --management-token § --space-id ‹n12›")
C("prov_pulumi", cat("pul-", hx(40)), "PULUMI_ACCESS_TOKEN=§ pulumi up --yes")
C("prov_dynatrace", lambda: f"dt0c01.{_s(B32, 24)}.{_s(B32, 64)}", "Authorization: Api-Token §")
C("prov_pagerduty", b64u(20), "Authorization: Token token=§")
C("prov_opsgenie", uid(), "Authorization: GenieKey §")
C(
    "prov_elastic_cloud",
    lambda: base64.b64encode((_s(B62, 20) + ":" + _s(B62, 22)).encode()).decode(),
    "es = Elasticsearch(cloud_id=CID, api_key='§')",
)
C("prov_heroku", lambda: "HRKU-AA" + _mixed(B64U, 58), "HEROKU_API_KEY=§ git push heroku main")
C("prov_heroku_uuid", uid(), "machine api.heroku.com\n  login jo@‹c›.io\n  password §")
C("prov_render", cat("rnd_", b62(28)), "curl -H 'Authorization: Bearer §' https://api.render.com/v1/services")
C(
    "prov_1password_ops",
    lambda: (
        "ops_"
        + _b64u(
            dumps(
                {
                    "signInAddress": "https://my.1password.com",
                    "email": _s(LO, 8) + "@1passwordserviceaccounts.com",
                    "muk": {"k": _s(B64U, 43)},
                    "secretKey": "A3-" + _s(UP, 6),
                }
            ).encode()
        )
    ),
    "export OP_SERVICE_ACCOUNT_TOKEN=§",
)
C(
    "prov_1password_secretkey",
    lambda: "A3-" + _s(UP + DG, 6) + "-" + _s(UP + DG, 6) + "-" + "-".join(_s(UP + DG, 5) for _ in range(4)),
    "1password emergency kit, secret key §",
)
C("prov_fcm_legacy", lambda: "AAAA" + _s(B64U, 7) + ":APA91b" + _mixed(B64U, 134), "Authorization: key=§")
C("prov_clerk", cat("sk_live_", b62(43)), "CLERK_SECRET_KEY=§")
C("prov_flutterwave", lambda: "FLWSECK-" + _s(HEX, 32) + "-X", "FLW_SECRET_KEY=§")
C("prov_razorpay", b62(24), "razorpay key_id rzp_live_‹b14› key_secret §")
C("prov_okta_client", b64u(64), "OKTA_CLIENT_ID=0oa‹b17›\nOKTA_CLIENT_SECRET=§")
C("prov_auth0", b64u(64), "domain: ‹c›.eu.auth0.com, clientId ‹b32›, clientSecret §")
C(
    "prov_wif",
    lambda: R.choice("KL") + _mixed("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 51),
    "bitcoin-cli importprivkey §",
)
C("prov_jenkins_api", lambda: "11" + _s(HEX, 32), "curl -X POST https://ci.‹c›.io/job/build/build --user jo:§")
C("prov_sourcegraph", lambda: f"sgp_{_s(HEX, 16)}_{_s(HEX, 40)}", "SRC_ACCESS_TOKEN=§ src search foo")
C("prov_dropbox_appsecret", lown(15), "Dropbox app key ‹n15›, app secret §")
C("prov_here_maps", b64u(43), "HERE maps apiKey=§ returns 401 on the routing endpoint")
C("prov_lob_live", lambda: f"live_{_s(HEX, 35)}", "curl https://api.lob.com/v1/addresses -u §:")


# the provider list of the brief: always part of cases()


def cases(seed: int = SEED) -> list[tuple[str, str, str]]:
    """Two of each shape."""
    R.seed(seed)
    made = []
    for label, gen, text in SHAPES:
        for _ in range(2):
            value = gen()
            inserted, secret = value if isinstance(value, tuple) else (value, value)
            whole = _fill(text).replace("§", inserted)
            assert secret in whole and "§" not in whole and "‹" not in whole, label
            made.append((label, whole, secret))
    return made


# ================================================================ harmless
# one item per line; ‹..› marks random noise, such lines are produced twice
H_LINES = r"""
commit ‹h40›
Merge: ‹h7› ‹h7›
‹h7› fix: handle expired tokens in the refresh loop
git checkout ‹h40› -- src/auth/token.py
git bisect good ‹h12›
git revert --no-edit ‹h40›
index ‹h7›..‹h7› 100644
From ‹h40› Mon Sep 17 00:00:00 2001
Submodule path 'vendor/lib': checked out '‹h40›'
HEAD is now at ‹h7› Remove unused password validator
See https://github.com/torvalds/linux/commit/‹h40›
https://github.com/psf/requests/blob/‹h40›/src/requests/auth.py#L42
uses: actions/checkout@‹h40› # v4.1.7
request_id=‹u› status=200 duration_ms=42
X-Request-Id: ‹u›
traceparent: 00-‹h32›-‹h16›-01
trace_id=‹h32› span_id=‹h16› msg="token refreshed"
correlationId: ‹u›
2026-03-01T10:00:00Z INFO [‹u›] user logged in successfully
Processing by SessionsController#create as HTML (request ‹u›)
{"id": "‹u›", "status": "active", "name": "billing"}
GET /v1/users/‹u›/orders 200
DELETE FROM jobs WHERE id = '‹u›';
const TENANT_NAMESPACE = uuid.v5('tenant', '‹u›');
[{"job_id": "‹u›", "state": "queued"}]
sha256:‹h64›
FROM python:3.11-slim@sha256:‹h64›
image: nginx@sha256:‹h64›
Digest: sha256:‹h64›
Status: Downloaded newer image for redis@sha256:‹h64›
latest: digest: sha256:‹h64› size: 1786
‹h64›  ubuntu-24.04-live-server-amd64.iso
‹h32›  release.tar.gz
echo "‹h64›  terraform.zip" | sha256sum -c -
checksum = "‹h64›"
sha1: ‹h40›
"integrity": "sha512-‹s86›==",
      integrity: sha512-‹s86›==
resolved "https://registry.yarnpkg.com/lodash/-/lodash-4.17.21.tgz#‹h40›"
<script src="https://cdn.jsdelivr.net/npm/vue@3.4.21" integrity="sha384-‹s64›" crossorigin="anonymous"></script>
    --hash=sha256:‹h64› \
golang.org/x/crypto v0.21.0 h1:‹s43›=
github.com/golang-jwt/jwt/v5 v5.2.1/go.mod h1:‹s43›=
gem 'devise', '4.9.3', sha256: '‹h64›'
ETag: "‹h32›"
If-None-Match: W/"‹h40›"
Content-MD5: ‹s22›==
container id ‹h64› exited with code 137
‹h12›   postgres:16   "docker-entrypoint.s…"   2 hours ago   Up 2 hours
pod/api-gateway-‹h9›-‹n5› 1/1 Running 0 3d
arn:aws:iam::‹d12›:role/deploy-role
arn:aws:kms:eu-west-1:‹d12›:key/‹u›
arn:aws:secretsmanager:us-east-1:‹d12›:secret:prod/db-‹b6›
subnet-‹h17› and sg-‹h17› are in vpc-‹h17›
ami-‹h17› (amazon linux 2023)
i-‹h17› is still in 'pending' state
fingerprint SHA256:‹s43› jo@laptop (ED25519)
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI‹s43› jo@laptop
The key fingerprint is: SHA256:‹s43›
MD5 (a.txt) = ‹h32›
file hash ‹h64› matches the manifest
main.‹h8›.chunk.js
/static/css/app.‹h20›.css
https://www.youtube.com/watch?v=‹b11›
https://docs.google.com/document/d/‹b44›/edit
https://www.figma.com/file/‹b22›/Design-System?node-id=12%3A345
https://linear.app/acme/issue/ENG-‹d4›/rotate-api-keys
https://sentry.io/organizations/acme/issues/‹d10›/?project=‹d7›
https://stackoverflow.com/questions/‹d8›/how-to-hash-a-password-in-python
https://app.example.org/orders/‹d8›?ref=email&page=2
https://example.org/search?q=api+key+rotation&sort=desc
block 0x‹h64› mined in 3.1s
transaction hash 0x‹h64› confirmed
contract deployed at 0x‹h40›
ipfs://Qm‹b44›
build-id: ‹h40›
Build fingerprint: '‹h16›' uploaded
core dump at 0x‹h16› in libcrypto.so.3
objectId: ObjectId("‹h24›")
{"_id": {"$oid": "‹h24›"}, "type": "password_reset_requested"}
"projectId": "prj_‹b24›", "deploymentId": "dpl_‹b24›"
customer cus_‹b14› has no default payment method
charge ch_‹b24› was refunded
webhook event evt_‹b24› delivered twice
Twilio message SM‹h32› is undelivered
Slack channel C‹A10›, user U‹A10›
issue PROJ-‹d4›: "Forgot password" link 404s
migration 20240315‹d6›_add_token_to_sessions.rb
chore(deps): bump jsonwebtoken from 9.0.0 to 9.0.2 (#‹d4›)
Nix hash: sha256-‹s43›=
/nix/store/‹n32›-openssl-3.0.13
cache key linux-node-20-‹h64› not found
restore-keys: ${{ runner.os }}-npm-‹h8›
Serial Number: ‹h2›:‹h2›:‹h2›:‹h2›:‹h2›:‹h2›:‹h2›:‹h2›
MAC address ‹h2›:‹h2›:‹h2›:‹h2›:‹h2›:‹h2›
inet6 fe80::‹h4›:‹h4›:‹h4›:‹h4› prefixlen 64
color: #‹h6›; background: #‹h6›;
order number ‹d12› failed with code AUTH_‹d3›
Content-Security-Policy: script-src 'nonce-abc' 'sha256-‹s43›='
password = input("Password: ")
password = getpass.getpass()
password = getpass.getpass(prompt='Database password: ')
password = os.environ["DB_PASSWORD"]
api_key = os.getenv("OPENAI_API_KEY")
API_KEY = os.environ.get('API_KEY', None)
token = request.headers.get("Authorization", "").removeprefix("Bearer ")
secret = secrets.token_hex(32)
secret_key = get_random_secret_key()
password = None
token: str | None = None
password: str = Field(..., min_length=12)
def authenticate(username: str, password: str) -> User:
def verify_token(token: str, *, leeway: int = 30) -> Claims:
def hash_password(password, salt=None, rounds=12):
async def refresh_access_token(refresh_token: str) -> TokenPair: ...
if not user.check_password(password): raise InvalidCredentials()
if password != confirm_password: errors.append("passwords do not match")
return jwt.encode(payload, settings.JWT_SECRET, algorithm="HS256")
client = OpenAI(api_key=os.environ["OPENAI_API_KEY"])
s3 = boto3.client("s3", aws_access_key_id=key_id, aws_secret_access_key=secret)
conn = psycopg2.connect(host=host, user=user, password=password, dbname=name)
auth = HTTPBasicAuth(config.username, config.password)
headers = {"Authorization": f"Bearer {token}"}
headers["X-API-Key"] = self.api_key
for token in tokenizer.tokenize(text): counts[token] += 1
tokens = tokenizer.encode(prompt, return_tensors="pt")
max_tokens=4096, temperature=0.2, stop_sequences=["\n\n"]
print(f"used {usage.prompt_tokens} prompt tokens and {usage.completion_tokens} completion tokens")
key = (user_id, created_at.date())
sorted(items, key=lambda kv: kv[1], reverse=True)
d = {k: v for k, v in pairs if k not in ("password", "token")}
SENSITIVE_KEYS = {"password", "passwd", "secret", "token", "api_key", "authorization"}
PASSWORD_RE = re.compile(r"^(?=.*[A-Z])(?=.*\d).{12,}$")
assert "password" not in response.json()
self.assertNotIn("secret_key", serialized)
from app.auth.tokens import create_access_token, decode_token
from django.contrib.auth.password_validation import validate_password
import { getToken } from 'next-auth/jwt';
import { PasswordInput } from '@/components/ui/password-input';
import jwt, { JwtPayload } from 'jsonwebtoken';
import org.springframework.security.crypto.password.PasswordEncoder;
use Illuminate\Support\Facades\Password;
use secrecy::{ExposeSecret, SecretString};
require 'openssl/pkey/rsa'
#include <openssl/evp.h>
const apiKey = process.env.API_KEY;
const apiKey = process.env.STRIPE_SECRET_KEY!;
const token = await getAccessToken();
const { data: { token } } = await axios.post('/login', { email, password });
const [password, setPassword] = useState('');
const password = watch('password');
const isTokenExpired = (token: string) => jwtDecode(token).exp * 1000 < Date.now();
<input type="password" name="password" autocomplete="current-password" required />
<label for="password">Password</label>
<input type="hidden" name="csrf_token" value="{{ csrf_token() }}">
<PasswordField label="New password" error={errors.password} />
<a href="/password/reset">Forgot your password?</a>
<meta name="csrf-token" content="<%= form_authenticity_token %>">
interface LoginRequest { username: string; password: string; }
type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
export type ApiKey = { id: string; name: string; createdAt: Date; lastUsedAt: Date | null };
function signToken(payload: object, secret: string, expiresIn = '1h'): string {
headers: { Authorization: `Bearer ${token}` }
axios.defaults.headers.common['Authorization'] = `Bearer ${accessToken}`;
localStorage.removeItem('access_token');
if (!process.env.JWT_SECRET) throw new Error('JWT_SECRET is not set');
password: z.string().min(8, 'Password must be at least 8 characters'),
jwt.verify(token, publicKey, { algorithms: ['RS256'] });
bcrypt.compare(password, user.passwordHash)
expect(screen.getByLabelText('Password')).toBeInTheDocument();
it('rejects an expired token', async () => {
describe('ApiKeyService', () => {
test_password_reset_token_is_single_use PASSED
def test_login_with_wrong_password_returns_401(client):
--- FAIL: TestVerifyTokenExpired (0.00s)
func (s *Server) Authenticate(ctx context.Context, username, password string) (*Session, error) {
func NewClient(apiKey string, opts ...Option) *Client {
password := os.Getenv("DB_PASSWORD")
token := r.Header.Get("Authorization")
if token == "" { return ErrMissingToken }
var ErrInvalidPassword = errors.New("invalid password")
Password string `json:"-" gorm:"not null"`
APIKey string `env:"API_KEY,required"`
private String password;
public void setPassword(String password) { this.password = password; }
String apiKey = System.getenv("API_KEY");
@Value("${app.jwt.secret}") private String jwtSecret;
if (passwordEncoder.matches(raw, user.getPassword())) {
char[] password = console.readPassword("Password: ");
var password = Console.ReadLine();
builder.Configuration["Jwt:Key"]
public record LoginDto(string UserName, string Password);
services.AddAuthentication(JwtBearerDefaults.AuthenticationScheme)
let api_key = std::env::var("API_KEY").expect("API_KEY must be set");
fn verify(password: &str, hash: &str) -> Result<bool, Error> {
pub struct Credentials { pub username: String, pub password: SecretString }
$password = $_POST['password'];
$token = $request->bearerToken();
'password' => env('DB_PASSWORD', ''),
'password' => ['required', 'string', 'min:8', 'confirmed'],
password_hash($password, PASSWORD_ARGON2ID);
validates :password, length: { minimum: 12 }
has_secure_password
config.secret_key_base = ENV["SECRET_KEY_BASE"]
token = SecureRandom.hex(20)
read -s -p "Password: " password
export GITHUB_TOKEN=$(gh auth token)
export PGPASSWORD="$DB_PASSWORD"
export AWS_SECRET_ACCESS_KEY=$(pass show aws/secret)
TOKEN=$(curl -s -X PUT http://169.254.169.254/latest/api/token)
: "${API_TOKEN:?must be set}"
if [ -z "$API_KEY" ]; then echo "API_KEY missing"; exit 1; fi
curl -H "Authorization: Bearer $TOKEN" https://api.example.org/v1/me
curl -u "$USER:$PASS" https://artifacts.example.org/
mysql -u root -p shop < schema.sql
psql -U postgres -W -d app
docker login -u ci --password-stdin < token.txt
docker run -e POSTGRES_PASSWORD -p 5432:5432 postgres:16
ssh-keygen -t ed25519 -C "jo@laptop" -f ~/.ssh/id_ed25519
ssh -i ~/.ssh/deploy_key ubuntu@bastion
openssl rand -base64 32 > secret.key
openssl genrsa -out private.pem 4096
gpg --export-secret-keys --armor jo > backup.asc
kubectl create secret generic db --from-env-file=.env.prod
kubectl get secret db-credentials -o jsonpath='{.data.password}' | base64 -d
vault kv get -field=password secret/app/db
aws ssm get-parameter --name /prod/db/password --with-decryption
aws sts get-session-token --duration-seconds 3600
gh secret set NPM_TOKEN < token.txt
npm token revoke <token_id>
az keyvault secret show --vault-name kv-prod --name sql-password --query value
$cred = Get-Credential -UserName 'CORP\svc'
$token = (az account get-access-token | ConvertFrom-Json).accessToken
$env:API_KEY = $apiKey
Read-Host -AsSecureString -Prompt 'Password'
password: ${DB_PASSWORD}
password: "{{ vault_db_password }}"
password: {{ .Values.auth.password | quote }}
password: !vault |
password: null
password: ""
token: ${{ secrets.GITHUB_TOKEN }}
NODE_AUTH_TOKEN: ${{ secrets.NPM_TOKEN }}
api_key: <your-api-key>
API_KEY=your-api-key-here
API_KEY=
SECRET_KEY=
DB_PASSWORD=${DB_PASSWORD}
TOKEN=xxxxxxxxxxxxxxxx
OPENAI_API_KEY=sk-...
STRIPE_SECRET_KEY=sk_live_...
Authorization: Bearer <token>
Authorization: Basic <base64(user:password)>
Authorization: Bearer ****************
password: ********
DB_PASSWORD=[REDACTED]
"password": "***"
_authToken=${NPM_TOKEN}
DATABASE_URL=postgres://$DB_USER:$DB_PASS@$DB_HOST:5432/$DB_NAME
DATABASE_URL=sqlite:///./app.db
postgres://localhost:5432/app_test
mongodb://localhost:27017/myapp
redis://localhost:6379/0
amqp://rabbitmq:5672/%2F
jdbc:postgresql://db:5432/app?sslmode=require
Server=localhost;Database=App;Trusted_Connection=True;
valueFrom: {secretKeyRef: {name: db, key: password}}
secretName: tls-wildcard
imagePullSecrets: [{name: regcred}]
POSTGRES_PASSWORD_FILE: /run/secrets/db_password
secrets: [db_password, api_token]
variable "db_password" { type = string, sensitive = true }
password = var.db_password
password = random_password.master.result
token = data.aws_secretsmanager_secret_version.api.secret_string
secret_id = aws_secretsmanager_secret.db.id
ssl_certificate_key /etc/nginx/ssl/site.key;
auth_basic_user_file /etc/nginx/.htpasswd;
proxy_set_header Authorization $http_authorization;
proxy_set_header X-Api-Key "";
limit_req_zone $http_x_api_key zone=api:10m rate=5r/s;
PasswordAuthentication no
PubkeyAuthentication yes
IdentityFile ~/.ssh/id_rsa
AuthorizedKeysFile .ssh/authorized_keys
password_encryption = scram-sha-256
host all all 10.0.0.0/8 scram-sha-256
validate_password.policy = STRONG
default_authentication_plugin=caching_sha2_password
sasl.mechanism=SCRAM-SHA-512
ssl.keystore.type=PKCS12
spring.security.oauth2.resourceserver.jwt.issuer-uri=https://idp.example.org/
jwt.expiration=3600000
token_ttl = "15m"
session_cookie_name = "sid"
max_password_age = 90
access_token_lifetime: 900
refresh_token_rotation: true
CREATE TABLE users (id bigint primary key, email text not null, password_hash text not null);
ALTER TABLE sessions ADD COLUMN token varchar(64) NOT NULL;
ALTER TABLE users DROP COLUMN password;
CREATE UNIQUE INDEX idx_api_keys_token ON api_keys (token_digest);
SELECT id, email FROM users WHERE password_hash IS NULL;
password VARCHAR(255) NOT NULL,
api_key CHAR(40) UNIQUE COMMENT 'hashed with sha256',
UPDATE users SET password_reset_token = NULL WHERE reset_expires < now();
INSERT INTO permissions (name) VALUES ('secrets.read'), ('tokens.revoke');
CREATE ROLE reporting LOGIN PASSWORD :'pw';
SELECT user, host, plugin FROM mysql.user WHERE authentication_string = '';
t.string :encrypted_password, null: false, default: ""
add_column :users, :otp_secret, :string
password = models.CharField(max_length=128)
token = Column(String(64), unique=True, index=True)
"login.password": "Passwort",
"auth.errors.invalid_token": "The token is invalid or has expired.",
"forgot_password": "¿Olvidaste tu contraseña?",
"password_placeholder": "Enter your password",
"settings.apiKeys.title": "API keys",
"password.too_short": "Password must have at least {min} characters",
msgid "Incorrect username or password."
password_confirmation: Mot de passe (confirmation)
Error: Invalid password
Error: invalid_grant: Token has been expired or revoked.
FATAL: password authentication failed for user "app"
ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)
(535, b'5.7.8 Username and Password not accepted')
redis.exceptions.AuthenticationError: Client sent AUTH, but no password is set
NOAUTH Authentication required.
WRONGPASS invalid username-password pair or user is disabled.
MongoServerError: bad auth : Authentication failed.
jwt.exceptions.ExpiredSignatureError: Signature has expired
JsonWebTokenError: invalid signature
TokenExpiredError: jwt expired
SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON
SyntaxError: Unexpected token } in JSON at position 42
error: unexpected token: `}`
KeyError: 'api_key'
TypeError: authenticate() missing 1 required positional argument: 'password'
openai.AuthenticationError: Error code: 401 - Incorrect API key provided
botocore.exceptions.NoCredentialsError: Unable to locate credentials
An error occurred (InvalidClientTokenId): The security token included in the request is invalid
remote: Support for password authentication was removed on August 13, 2021.
fatal: Authentication failed for 'https://github.com/acme/app.git/'
Permission denied (publickey,password).
ssh: handshake failed: unable to authenticate, attempted methods [none publickey]
Load key "/home/jo/.ssh/id_rsa": error in libcrypto
Enter passphrase for key '/home/jo/.ssh/id_ed25519':
Password for 'https://jo@git.example.org':
[sudo] password for jo:
x509: certificate signed by unknown authority
CSRF token missing or incorrect.
ActionController::InvalidAuthenticityToken
Warning: Using a password on the command line interface can be insecure.
WARNING: Using --password via the CLI is insecure. Use --password-stdin.
npm ERR! code ENEEDAUTH
npm ERR! need auth This command requires you to be logged in.
unauthorized: authentication required
HTTP/1.1 401 Unauthorized
WWW-Authenticate: Bearer realm="api", error="invalid_token"
WWW-Authenticate: Basic realm="Restricted"
Access-Control-Allow-Headers: Authorization, X-Api-Key, Content-Type
Vary: Authorization, Cookie
Set-Cookie: theme=dark; Path=/; Max-Age=31536000
Cookie: lang=en; theme=light
Cache-Control: no-store
The access token expires after 15 minutes.
Refresh tokens are rotated on every use and kept for 30 days.
Never commit API keys to the repository; use environment variables instead.
To create a personal access token, go to Settings > Developer settings > Tokens.
Each API key is scoped to one project and can be revoked at any time.
How do I hash a password with bcrypt in Node?
What's the difference between an access token and a refresh token?
Why does my password field lose focus on every keystroke?
Can you write a function that validates a password with at least one digit and one symbol?
The password is read from the environment, so nothing is stored on disk.
The secret is mounted as a file under /run/secrets.
I forgot my password, how do I reset the postgres user on ubuntu?
We store only the hash of the password, never the password itself.
The key is the user id and the value is a list of sessions.
A primary key is required for replication.
The token bucket refills ten tokens per second.
The parser emits a token for every keyword.
Our context window is 200k tokens, so trim the prompt.
Please rename the variable `password` to `passphrase` everywhere.
Add a "show password" toggle to the login form.
Rotate the signing key every 90 days and keep the previous one for verification.
The client secret must be kept on the server; public clients use PKCE.
Ask the admin for credentials, they are in 1Password under "staging db".
The password policy requires 12 characters, one number and one symbol.
The api key header is called X-Api-Key, not Authorization.
Use `Authorization: Bearer <access_token>` for every request.
GitHub tokens start with ghp_ and GitLab ones with glpat-.
AWS access key ids begin with AKIA followed by 16 characters.
A JWT has three parts separated by dots: header, payload and signature.
The secret to good tests is small fixtures.
Passwords are compared in constant time with hmac.compare_digest.
The session cookie is HttpOnly and SameSite=Lax.
Password reset emails are sent from no-reply@example.org.
It's a secret how this ever worked, refactor please.
TODO: replace basic auth with OAuth2 before launch
# FIXME: token is refreshed twice when two tabs are open
// password is validated on the server too
/* secret santa generator */
# The API key is injected by the CI, see docs/secrets.md
docs: explain how to obtain an API token
feat(auth): add password strength meter
fix(tokens): clock skew of 30s when verifying exp
refactor: move SecretStore into its own package
revert "remove password login"
CHANGELOG: 2.3.0 - API keys can now be named
npm i jsonwebtoken@9.0.2 bcryptjs@2.4.3
pip install python-jose[cryptography]==3.3.0 passlib==1.7.4
requests==2.31.0
"passport-local": "^1.0.0",
"keytar": "7.9.0",
implementation("io.jsonwebtoken:jjwt-api:0.12.5")
tokenizers==0.19.1 ; python_version >= "3.9"
gem "bcrypt", "~> 3.1.7"
go 1.22.1
node v20.11.1, npm 10.2.4
secretlint ^8.2.3 found 0 problems
detect-secrets scan > .secrets.baseline
gitleaks detect --no-git -v
<img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7" alt="">
background: url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==);
src: url(data:font/woff2;base64,d09GMgABAAAAAAPAAA0AAAAABkQAAANqAAEAAAAAAAAAAAAAAAAA) format('woff2');
.password-field { border: 1px solid #ccc; padding: 4px 8px; }
#token-list > li.token--expired { color: #b91c1c; opacity: .6; }
input[type="password"]::placeholder { color: #9ca3af; }
<div class="grid grid-cols-2 gap-4 text-sm font-medium md:grid-cols-3 lg:px-8">
<button data-testid="reset-password-btn" onClick={onReset}>Reset password</button>
<svg viewBox="0 0 24 24"><path d="M12 1a5 5 0 0 0-5 5v3H6v12h12V9h-1V6a5 5 0 0 0-5-5z"/></svg>
--color-key: hsl(210 40% 96.1%);
grid-template-areas: "key value" "secret hint";
const ENDPOINTS = { login: '/auth/login', refresh: '/auth/token/refresh', reset: '/password/reset' };
router.post('/api-keys/:id/revoke', requireAuth, revokeApiKey);
path("accounts/password_reset/", PasswordResetView.as_view(), name="password_reset"),
@app.post("/token", response_model=Token)
get '/oauth/token/info', to: 'oauth/token_info#show'
POST /oauth/token HTTP/1.1
rpc CreateApiKey(CreateApiKeyRequest) returns (ApiKey);
string password = 2 [(validate.rules).string.min_len = 8];
mutation Login($email: String!, $password: String!) { login(email: $email, password: $password) { token } }
{"type": "object", "required": ["username", "password"], "properties": {"password": {"type": "string", "format": "password"}}}
securitySchemes: {bearerAuth: {type: http, scheme: bearer, bearerFormat: JWT}}
- in: header, name: X-API-Key, required: true, schema: {type: string}
enum TokenType { ACCESS = 'access', REFRESH = 'refresh', RESET = 'reset' }
public enum SecretKind { Password, ApiKey, Certificate }
case .wrongPassword: return NSLocalizedString("auth.wrong_password", comment: "")
val passwordVisible by remember { mutableStateOf(false) }
keyboardType: TextInputType.visiblePassword, obscureText: true,
SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
KeyGenerator.getInstance("AES").init(256)
crypto.createHash('sha256').update(token).digest('hex')
hashlib.sha256(token.encode()).hexdigest()
key, salt = derive_key(password, salt=os.urandom(16), iterations=600_000)
private_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
with open("private_key.pem", "rb") as f: key = load_pem_private_key(f.read(), password=None)
keyring.set_password("myapp", username, password)
keyring.get_password("myapp", "jo")
logger.info("password changed for user %s", user.id)
logger.debug("token length: %d", len(token))
log.warn("No API key configured, falling back to anonymous access");
console.log('token expires at', new Date(exp * 1000).toISOString())
INFO  o.s.s.a.AuthenticationManager - Authentication success for user jo
WARN  secrets-operator - secret default/db-credentials not found, retrying in 5s
DEBUG urllib3.connectionpool - "POST /oauth2/token HTTP/1.1" 200 1024
Jul 12 10:01:22 web1 sshd[2211]: Failed password for invalid user admin from 203.0.113.7 port 52144 ssh2
Jul 12 10:01:25 web1 sshd[2211]: Accepted publickey for jo from 198.51.100.3 port 51122 ssh2: ED25519
type=USER_AUTH msg=audit(1720778482.123:456): pid=2211 res=failed
nginx: [emerg] cannot load certificate key "/etc/ssl/site.key": PEM_read_bio_PrivateKey() failed
-----BEGIN CERTIFICATE-----
MIIDdzCCAl+gAwIBAgIEbwMqCTANBgkqhkiG9w0BAQsFADBsMRAwDgYDVQQGEwdV
openssl x509 -in cert.pem -noout -text | grep 'Public-Key: (2048 bit)'
C:\Users\jo\AppData\Roaming\Microsoft\UserSecrets\readme.txt
/var/run/secrets/kubernetes.io/serviceaccount/token
src/main/java/com/acme/security/token/RefreshTokenRepository.java
app/views/devise/passwords/edit.html.erb
tests/fixtures/secret_manager/test_rotate_keys.py::test_old_key_still_verifies
packages/auth/src/passwordless/useMagicLinkToken.ts
cat .env.example | cut -d= -f1
cp .env.example .env && $EDITOR .env
grep -rn "password" --include=*.py src/
git log -S'api_key' --oneline -- config/
git secrets --scan-history
chmod 600 ~/.ssh/id_rsa
ls -la ~/.aws/credentials
sops --decrypt secrets.enc.yaml > /dev/null
passwd: password updated successfully
pwd: /home/jo/projects/api
cd "$(pwd)/token-service" && make test
PWD=/srv/app/current
usr/bin/env: 'pass': No such file or directory
pass: 41, fail: 2, skipped: 3
test result: ok. 128 passed; 0 failed; 3 ignored
Lighthouse: first pass 0.93, second pass 0.97
bypass_auth = settings.DEBUG
compass heading 271.5, passenger count 4
keyboard shortcut: Ctrl+Shift+K, key code 75
keyspace app WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}
partition_key = "tenant_id", sort_key = "created_at#order_id"
cache_key = f"user:{user_id}:profile:v2"
redis key "session:*" has TTL 86400
foreign key constraint fails (`shop`.`orders`, CONSTRAINT `fk_user` FOREIGN KEY (`user_id`))
duplicate key value violates unique constraint "users_email_key"
React: Each child in a list should have a unique "key" prop.
public key pinning was removed from Chrome 72
authorized_keys has wrong permissions 0664
PublicKeyToken=b77a5c561934e089, Culture=neutral
<assemblyIdentity name="Newtonsoft.Json" publicKeyToken="30ad4fe6b2a6aeed" culture="neutral" />
"x-generator": "token-design v3", "spacing.token.md": "8px"
{"design-tokens": {"color": {"primary": {"value": "#2563eb"}}}}
tokenize("SELECT * FROM t") == ["SELECT", "*", "FROM", "t"]
pad_token_id=50256, eos_token_id=50256, vocab_size=50257
<|endoftext|> special token was not added to the tokenizer
nextPageToken is empty, so this is the last page
{"nextPageToken": "", "items": [], "kind": "storage#objects"}
continuation token missing, starting from offset 0
cancellationToken.ThrowIfCancellationRequested();
public async Task RunAsync(CancellationToken stoppingToken)
const source = axios.CancelToken.source();
std::string_view token = lexer.next();
Token(type=NAME, value='password', line=3)
ERC-20 token 0x‹h40› has 18 decimals
user-agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/122.0.0.0 Safari/537.36
version = "1.0.0-beta.11+exp.sha.5114f85"
jdk-21.0.2+13, gradle-8.6-all, kotlin 1.9.22
__webpack_require__("./src/auth/LoginForm.tsx")
at AuthService.verifyPassword (/srv/app/dist/auth.service.js:88:15)
  File "/srv/app/auth/passwords.py", line 31, in check_password
auth/invalid-credential: The supplied auth credential is incorrect, malformed or has expired.
AADSTS7000215: Invalid client secret provided.
AADSTS50034: The user account does not exist in the directory. Trace ID: ‹u› Correlation ID: ‹u›
Auth0: grant type 'password' not allowed for the client.
User jo@example.org does not have the secretmanager.versions.access permission
Vault is sealed: 3 of 5 unseal keys required
cosign verify --key cosign.pub registry.example.org/app:1.4.2
signature algorithm ecdsa-sha2-nistp256, key length 256
cipher suite TLS_AES_256_GCM_SHA384
ssh_host_ed25519_key.pub was added to known_hosts
OAuth scopes: repo, read:org, write:packages
CORS preflight for header x-api-key is blocked
The `password` grant is deprecated in OAuth 2.1.
password123 is on every blocklist, so reject common passwords in the validator.
Choose a password: at least twelve characters and no dictionary words.
"""

H_PARAGRAPHS = [
    "def login(request):\n    password = request.POST['password']\n    user = authenticate(username=request.POST['username'], password=password)\n    return redirect('/')",
    "services:\n  db:\n    image: postgres:16\n    environment:\n      POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?required}",
    "env:\n- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db\n      key: password",
    "-----BEGIN PUBLIC KEY-----\n‹s64›\n‹s64›\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIID‹s60›\n‹s64›\n-----END CERTIFICATE-----",
    "-----BEGIN CERTIFICATE REQUEST-----\nMIIC‹s60›\n-----END CERTIFICATE REQUEST-----",
    '[[package]]\nname = "secrecy"\nversion = "0.8.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "‹h64›"',
    '"node_modules/keytar": {\n  "version": "7.9.0",\n  "resolved": "https://registry.npmjs.org/keytar/-/keytar-7.9.0.tgz",\n  "integrity": "sha512-‹s86›=="\n}',
    'terraform {\n  backend "s3" {\n    bucket = "acme-tfstate"\n    key    = "prod/network/terraform.tfstate"\n    region = "eu-west-1"\n  }\n}',
    "[profile prod]\nrole_arn = arn:aws:iam::‹d12›:role/Admin\nsource_profile = default\nregion = eu-west-1",
    "Host bastion\n  HostName 203.0.113.10\n  User ubuntu\n  IdentityFile ~/.ssh/bastion_ed25519",
    "commit ‹h40›\nAuthor: Jo <jo@example.org>\nDate:   Mon Mar 2 10:11:12 2026 +0100\n\n    Remove hard-coded password from tests",
    "diff --git a/auth.py b/auth.py\nindex ‹h7›..‹h7› 100644\n-    password = PASSWORD\n+    password = os.environ['APP_PASSWORD']",
    'resource "random_password" "db" {\n  length  = 24\n  special = true\n}',
    '<form method="post" action="/login">\n  <input name="username">\n  <input name="password" type="password">\n</form>',
    "The login flow has two steps. First the client posts the password to /session,\nthen it exchanges the returned code for an access token.\nTokens are never written to the log.",
    "jobs:\n  publish:\n    steps:\n    - run: npm publish\n      env:\n        NODE_AUTH_TOKEN: ${{ secrets.NPM_TOKEN }}",
    "class ApiKey(Base):\n    __tablename__ = 'api_keys'\n    id = Column(Integer, primary_key=True)\n    digest = Column(String(64), nullable=False)",
    "$ docker images --digests\nREPOSITORY  TAG  DIGEST\nredis  7  sha256:‹h64›",
    "kind: ServiceAccount\nmetadata:\n  name: ci\n  uid: ‹u›\nautomountServiceAccountToken: false",
    "Traceback (most recent call last):\n  File \"app.py\", line 12, in <module>\n    token = os.environ['API_TOKEN']\nKeyError: 'API_TOKEN'",
    "CREATE TABLE oauth_tokens (\n  id uuid PRIMARY KEY,\n  access_token_digest bytea NOT NULL,\n  expires_at timestamptz NOT NULL\n);",
]


def harmless() -> list[str]:
    R.seed(SEED + 2)
    made = []
    for text in [line for line in H_LINES.splitlines() if line.strip()] + H_PARAGRAPHS:
        for _ in range(2 if "‹" in text else 1):
            filled = _fill(text)
            assert "‹" not in filled, text
            made.append(filled)
    return list(dict.fromkeys(made))
