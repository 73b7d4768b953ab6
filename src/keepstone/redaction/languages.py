"""How several languages name passwords and logins, and what they say of a password without giving it away.

Standard library only, for Python 3.9 and later.
"""

from __future__ import annotations

import re

from ..lib.pattern import Pattern
from .remarks import is_remark

# Names for a password in Latin letters, and in others, which may stand next to a value without a blank.
PASSWORD = r"(?:password|passwd|passphrase|passcode|pwd|pass|pw)"
LATIN = (
    r"(?:pass ?w[oö]rt(?:e[rs]?)?|kennw[oö]rt(?:e[rs]?)?|losungswort|mots? de passe|mdp|code d'acc[eè]s|"
    r"contrase(?:ñ|n|nh)as?|clave de acceso|(?:wlan|wi-?fi)[- ]?schl[uü]ssel|code wi-?fi|parola(?: d'ordine| chiave)?|"
    r"senhas?|palavras?[ -]passe|wachtwoord(?:en)?|l[oö]senord(?:et)?|"
    r"adgangskoden?|kodeordet|kodeord|passord(?:et)?|salasana|has[lł](?:o|a|em)|heslo|hesla|jelsz[oó]|[sş]ifre(?:si)?|"
    r"contrasenya|pasahitza|fjal[eë]kalimi[nt]?|parole(?= ir |\s?[:=])|"
    r"parolă|lozinka|geslo|slapta[zž]odis|parool|m[aậ]t kh[aẩ]u|kata sandi)"
)
OTHER = (
    r"(?:парол\w{1,3}|(?<![^\W_])(?:пасс(?:ворд)?|гесло|гасло)(?![^\W\d_])|лозинк\w{1,3}|шифрата|密[码碼]|口令|パスワード|暗証番号|비밀번호|암호|패스워드|κωδικός|κωδικό|συνθηματικό|סיסמה|הסיסמה|"
    r"كلمة المرور|كلمة السر|رمز عبور|पासवर्ड|รหัสผ่าน)"
)
OTHER_HINTS = (
    *"парол пасс гесло гасло".split(),
    *"лозинк шифрата 密码 密碼 口令 パスワード 暗証番号 비밀번호 암호 패스워드 κωδικό συνθηματικό".split(),
    *("סיסמה", "كلمة المرور", "كلمة السر", "رمز عبور", "पासवर्ड", "รหัสผ่าน"),
)
LATIN_HINTS = (
    *("passwor", "passwör", "pass wor", "pass wör", "kennw", "losungsw", "de passe", "mdp", "code d'acc", "contrase"),
    *("clave de", "schlüssel", "schlussel", "code wi", "parol", "senha", "palavra", "wachtw", "senord"),
    *("adgang", "kodeord", "passord", "salasan", "hasl", "hasł", "hesl", "jelsz", "ifre", "lozin", "geslo", "slapta"),
    *("parool", "kh", "sandi", "pasahitza", "kalimi"),
)
# Words for access to something; `ACCESS` are those that announce a user and a password.
ACCESS = (
    r"(?:credentials?|creds|access data|access details|login data|login details|zugangsdaten|zugang|anmeldedaten|"
    r"logindaten|einwahldaten|identifiants?|acc[eè]s|accesos?|credenciales|credenziali|accesso|credenciais|acessos?|"
    r"inloggegevens|inloggningsuppgifter|loginoplysninger|innloggingsdetaljer|dane (?:logowania|dost[eę]powe)|"
    r"p[rř]ihla[sš]ovac[ií] [uú]daje|giri[sş] bilgileri|доступы?|уч[её]тные данные|уч[её]тка|реквизиты|доступи|"
    r"凭[证据]|認証情報|ログイン情報|접속 ?정보|로그인 ?정보|logins?)"
)
LOGIN = (
    r"(?:log(?:ged|ging)?[ -]?in(?:to)?|sign(?:ed|ing)?[ -]?in(?:to)?|connect|ssh|sftp|ftp|rdp|vnc|"
    r"vpn|account|user(?:name)?|anmeld\w{2,5}|einlog\w{2,4}|melde?|logge?|benutzer(?:name)?|konto|connexion|"
    r"connecte\w{0,3}|compte|utilisateur|usuario|cuenta|"
    r"inicia\w{0,2} sesi[oó]n|entra\w{0,2}|accede\w{0,2}|accedi|utente|usu[aá]rio|conta|entre|inloggen|gebruiker|"
    r"logga in|logg inn|log ind|zaloguj|u[zż]ytkownik|kullan[iı]c[iı]|логин|вход|войти|зайти|зайди|пользовател\w|логін|"
    r"登[录陆入錄]|[账帐帳][号户號]|用户名?|ログイン|アカウント|로그인|계정)"
)
ACCESS_HINTS = (
    *("cred", "access", "daten", "zugang", "login", "identi", "acc", "acess", "gegev", "uppgift", "oplys", "detalj"),
    *("dane", "daje", "bilgi", "доступ", "уч", "реквиз", "凭", "認証", "ログイン", "접속", "로그인"),
)
LOGIN_HINTS = (
    *"log sign connect ssh ftp rdp vnc vpn account user meld benutz kont conne compte utilis usu".split(),
    *("cuenta", "sesi", "entr", "acced", "utente", "conta", "gebruik", "ytkown", "żytkow", "kullan"),
    *("логин", "вход", "войти", "зай", "пользоват", "логін", "登", "账", "帐", "帳", "用户", "アカウント", "계정"),
)
# A password by another name, and a key that is no part of a record or a map.
SECRET_WORD = (
    r"(?:(?:secret|magic|code|safe|pass|access|unlock|challenge)[ -](?:word|phrase)|watchword|codewo?rd|codewort|"
    r"geheimwort|zauberwort|mot secret|mot magique|palabra secreta|palabra clave|palavra secreta|parola segreta|"
    r"parola magica|geheim woord|geheim ord|tajne s[lł]owo|секретное слово|кодовое слово|暗号|合言葉)"
)
SECRET_WORD_HINTS = (
    *(
        "word",
        "phrase",
        "wort",
        "mot ",
        "palabra",
        "palavra",
        "parola",
        "woord",
        " ord",
        "owo",
        "слово",
        "暗号",
        "合言葉",
    ),
)
KEY = (
    r"(?:keys?|(?:[a-zäöü]{2,20}[- ]?)?schl[üu]ssel|cl[ée]s?|claves?|llave|chiave|chave|klucz|sleutel|nyckeln?|"
    r"n[øo]gle|"
    r"ключ\w{0,2}|密[钥鑰]|キー|鍵|키)"
)
KEY_HINTS = (
    *("key", "ssel", "cle", "clé", "clave", "llave", "chiave", "chave", "klucz", "sleutel", "nyckel", "gle", "ключ"),
    *"密 キー 鍵 키".split(),
)
# What a combination opens, and what a combination is called.
SAFE = (
    r"(?:safes?|locks?|padlock|locker|vault|door|gate|alarm|briefcase|suitcase|lockbox|cabinet|garage|strongbox|cage|"
    r"rack|drawer|chest|tresors?|"
    r"schlosse?s?|spinds?|t[üu]r|koffers?|coffre(?:-fort)?|cadenas|porte|valise|caja fuerte|candado|puerta|cassaforte|"
    r"lucchetto|porta|cofre|cadeado|kluis|slot|deur|sejfu?|k[łl][óo]dki|kassask[åa]pet|сейф\w{0,2}|замк\w{0,2}|"
    r"двер\w{1,2}|"
    r"保险[柜箱]|金庫|금고)"
)
COMBINATION = (
    r"(?:combinations?|combos?|codes?|(?:zahlen)?kombinatione?n?|combinaison|combinaci[óo]n|combinazione|"
    r"combina[çc][ãa]o|"
    r"combinatie|szyfr|kod|c[óo]digo|codice|комбинаци\w|код|密码|暗証番号|番号|비밀번호)"
)
SAFE_HINTS = (
    *"safe lock vault door gate alarm case cabinet garage box cage rack drawer chest tresor schlos spind tür".split(),
    *"tur koffer coffre cadenas porte valise caja candado puerta cassaforte lucchetto porta cofre cadeado".split(),
    *"kluis slot deur sejf kłódk klodk klódk kłodk kassask сейф замк двер 保险 金庫 금고 combin combo".split(),
)
# What is said of a user and a password that are right.
WORKS = (
    r"(?:(?:still |also |just |now |only )?(?:works?|worked|opens|unlocks|(?:gets?|lets?|logs?) (?:you |us |me |"
    r"one )?in|"
    r"does the trick|(?:is|are) (?:valid|accepted|the (?:login|creds|credentials|default))|(?:funktioniert|geht|"
    r"klappt)|"
    r"marche|fonctionne|funciona|funziona|va bene|werkt|dzia[łl]a|fungerar|virker|работает|подходит|可以登录|能登录))"
)
# A value is made a password: (what stands before the value, and between it and the word for a password).
MADE_ONE = (
    (r"(?:nimm|nehmen wir|benutzen?|benutze|verwenden?|setze?|w[äa]hle|gib)", r"als"),
    (r"(?:utilis\w{1,3}|mets|mettez|prends?|choisi\w{0,3}|tape)", r"comme|pour"),
    (r"(?:usa[rs]?|utiliza\w?|pon|ponga|pongamos|elige|mete)", r"como|de"),
    (r"(?:usa\w{0,4}|utilizza\w{0,2}|metti|imposta|scegli)", r"come"),
    (r"(?:use|usa[rs]?|utilize|ponha|coloque|escolha)", r"como"),
    (r"(?:gebruik|neem|kies|zet)", r"als"),
    (r"(?:u[żz]yj|ustaw|we[źz])", r"jako"),
    (r"(?:anv[äa]nd|brug|bruk|ta|v[äa]lj)", r"som"),
    (r"(?:использу\w{1,3}|поставь\w{0,2}|возьми\w{0,2}|введи\w{0,2})", r"как|в качестве"),
)
# What is asked about a password, so that the answer may be one.
ASKS = (
    r"(?:what(?:'?s| is| was| are)|which|remind me|wie (?:ist|lautet|war)|was (?:ist|war)|quel(?:le)? (?:est|[ée]tait)|"
    r"c'est quoi|cu[áa]l (?:es|era)|qual ?(?:[èée]|era)|wat is|jakie jest|vad [äa]r|hvad er|какой|что за)"
)
# Between a user and a password.
AND = r"(?:and|und|et|y|e|en|och|og|i|и|та|ve|con|with|mit|avec|com|с|plus|using|&|和|与|と|및|와)"
# Between a name and its value.
IS = (
    r"(?:is|was|are|remains|ist|lautet|heißt|heisst|war|est|es|era|è|é|is nu|jest|to|brzmi|är|er|on|je|olan|adalah|là|"
    r"este|ir|yra|és|është|c'est|"
    r"είναι|это|е|је|—|–|-)"
)

# Of these, what a plain word may follow that is a password. In other languages too many words are said of one.
IS_WORD = r"(?:is|was|are|remains|ist|lautet|heißt|heisst|war|est|es|era|è|é|is nu|это)"

# How it is said that a password is another now, and what stands before the new one.
CHANGED = (
    r"(?:ge[äa]ndert|gesetzt|ge[aä]ndert|chang\w{1,4}|chang[ée]\w{0,2}|remplac\w{1,3}|cambia\w{0,4}|alterad\w|mudad\w|"
    r"modificat\w|изменен\w{0,2}|изменил\w{0,2}|сменил\w{0,2}|поменял\w{0,2}|zmienion\w|gewijzigd|[äa]ndrat|改[成为為]|変更)"
)
TO = r"(?:auf|in|zu|à|en|pour|par|a|para|por|на|naar|na|till|to)"

# Said of a password and no password: conditions, kinds, types, places. Of each language the commonest.
_SAID = frozenset(
    "about above absent accepted again alike already also always ambiguous anonymous another any anything argon argon2 "
    "around array asked available base64 basic bcrypt because before being below better between blank boolean both "
    "broken bytes cached case changed char chosen clear cleartext common complex confidential considered const correct "
    "correctly crypt current currently custom data default denied dependent derived different disabled done dynamic "
    "easy either empty encrypted enough entered entirely environment equal error everything exactly expired exposed "
    "false field fine first fixed following forgotten free fresh from generated given good gone handled hard hardcoded "
    "hash hashed held hence here hidden identical ignored immutable important impossible included incorrect input "
    "insecure inside instead integer intact interactive internal into invalid itself just kept known least leaked "
    "legacy less like likely live local locked logged long longer lost made mandatory masked maybe merely mine missing "
    "more mostly much naive needed neither never none normal nothing null number object okay once only open optional "
    "other otherwise ours outdated over overridden overwritten passed password permanent persistent plain plaintext "
    "plain-text pointless possible present previous printed private probably prompted protected provided public random "
    "rather read readonly ready really redacted redundant refused rejected required reset reused right rotated safe "
    "salted same saved scrambled scrypt secret secure sensitive sent separate set shared short short-lived shown "
    "similar simple simply sometimes somewhere sound special static still stolen stored strict string strong stronger "
    "sufficient supplied supposed symbol tbd temporary text that their theirs then there therefore these this those "
    "three through today todo token too trimmed trivial true tuple twice typed undefined under unchanged unclear "
    "undocumented unencrypted unique unknown unlikely unsafe unset unused updated user username valid validated value "
    "variable varchar verified very visible void want weak weaker well what whatever when whenever where whether which "
    "while whole with without worse written wrong your yours abgelaufen aber alles alt auch befehl bekannt dasselbe "
    "derzeit doch egal eigentlich einfach erforderlich falsch fehlt gleich immer identisch jetzt kein keine korrekt "
    "lang leer leider momentan nicht nichts notwendig noch nötig oder pflicht pflichtfeld richtig schon schlecht "
    "schwach sicher siehe sehr stark unbekannt ungültig unsicher unter veraltet weg wichtig wieder zwingend öffentlich "
    "aussi avec dans déjà encore expiré faible faux fort haché ici inconnu juste jamais manquant mauvais même "
    "nécessaire nouveau obligatoire oublié périmé plus requis toujours trop trouvé valide vide voir algo bien breve "
    "corta corretta correcta debole débil demasiado diferente diversa errata errada esta está fraca fuerte igual "
    "incorreta incorrecta inválida larga libre longa mala misma muito nada necesaria necessaria nueva obrigatória "
    "obligatoria opcional opzionale oculta requerida richiesta sbagliata scaduta segreta segura sempre siempre sicura "
    "también troppo válida vacía vazia vuota altijd fout geheim juist kort leeg niet nodig ongeldig onjuist vereist "
    "verkeerd verlopen verplicht zwak błędne nieprawidłowe niepoprawne wymagane puste słabe złe zmienione fel krävs "
    "saknas tomt gerekli geçersiz yanlış zayıf".split()
)
_ENGLISH = Pattern(r".*(?:ed|ing|able|ible|(?<!f)ly|ive|less|ful|ous|ized|ised|ory|ant|ent)\Z")
_FOREIGN = Pattern(
    r".*(?:[aei]d[oa]s?|[aeiou]t[oa]s?|ri[oa]s?|iv[oa]s?|[aei]?bles?|oire|if|ive|ées?|és?|ant|ent|ente|lich|bar|isch|"
    r"los|ig|haft|iert|et)\Z|(?:ge|ver|be|ent|er|zer|ab|an|auf|aus|ein|zurück)\w*(?:t|en)\Z|[a-zäöüß]+en\Z"
)
_SLAVIC = Pattern(r".*(?:[ыи]й|[ая]я|[ое]е|[нтл][аоы]?|ен[аоы]?|ся|ть|ют|ет|ит|ат|ют|ять)\Z")
_LETTERS = Pattern(r"[^\W\d_]{5,24}(?:[-_][^\W\d_]{3,24}){0,3}\Z")


def is_word(value: str, foreign: bool = False) -> bool:
    """Tells whether a value is a word, or some with hyphens, that can be a password: nothing that is said of one."""
    if not _LETTERS.match(value):
        return False
    lowered = value.lower()
    parts = re.split("[-_]", lowered)
    if not _SAID.isdisjoint((lowered, *parts)) or _ENGLISH.match(lowered):
        return False
    if not foreign:
        return True
    inflected = _FOREIGN.match(value if value.islower() else lowered[1:]) or _SLAVIC.match(lowered)
    return not (inflected or any(map(is_remark, parts)))
