"""How words begin that are said of a password and are none: "obligatoire", "zaszyfrowane", "utgånget".

Languages inflect such words in too many ways to list them. A password that begins like one and has neither a digit nor
a sign is the price. Standard library only, for Python 3.9 and later.
"""

from __future__ import annotations

from ..lib.pattern import Pattern

_NOT = "un|in|im|non|ne|nie|ni|onge|oför|u|o|za|už|ter|di|ej|ver|не|за"
_LATIN = """
obligat obligāt oblig obbligat verplicht vereist erforder notwendig benötig pflicht requi requer richiest necess
necesar nöd kräv krev påkr nødvend vaadi pakolli wymag koniecz povinn nutn kötelez szüks zorun gerek obavez obvez
potreb privalom būtin kohustus nõutav detyrue nahitaez wajib harus opci opţ opț opzion option facult facolt freiwill
valfri valgfri frivill valinnai opcjonal dobrowol volitel voliteľ isteğe seçmeli valikuli wahlweise aukera opsional
vergess vergeten oubli olvid dimentic esquec bortglöm glömt glemt unoht zapomn zapomen zabud elfelej unut uitat
zaborav pozab pamirš ununen aizmirs harr ahaz lupa terlup geänd verändert geword gewijzig wijzig modif chang cambi
mudad alter änd endr ændr förändr vaihd muut muud zmien změn zmen megvált változ değiş schimb promijen promen spremen
pakeis keič mainī canvi ndrysh pandrysh alda zamen zaměn inchang invaria inalter oförändr uænd uend unver neschimb
nepromij nespremen nepakeis nemain ennall beruba peruba krypt crypt cript chiff cifr xifr zifr szyfr zaszyfr šifr
zašifr şifrele sifr verschl versleut salat titkos užšif krüpt kodua kodu enkrip hash hach haš haszow zahasz hesz özet
zgošč maiš räsi tiivist jaukt abgel expir exspir kadal caduc scadut utgå udlø utlø vanhen wygas przeterm vyprš lejár
süresi istek potek pasibaig aegun beigu skadua iraun kedalu verlop perim périm vencid verfall falsch erron errón errò
errad incorr inkorr onjuist felakt feil forkert virheel väär błęd popr praw sprá chybn hibás téves yanlış geçersiz
greș greş pogreš napač tais teis vigan vale parei gabim oker sbagliat salah kesalah invalid érvén ongeld ungült
ogiltig ugyld leer leeg vide vací vacía vuot vazi tomt tomm tyhj pust prázd üres boş goal prazn tušč tühi tukš buid
hutsik kosong puudu mangl sakn puutt chyb brak eksik lips nedosta mindest mindst minst minim mínim vähint legal[aá]bb
najmniej alespoň aspoň barem vsaj vähem vismaz almeno menos gutxi tresor coffre bóveda cassafort cofre kluis valv boks
hvelv holv sejf trezor széf kasa seif saugykl glabā gespeich speich opgesl stock almacen guard salvat memoriz armazen
lagr spara gemt tallen zapis przechow ulož neulož tárol sakla kayd păstr stoca sprem shran saugo salvest ruaj parua
gord simpan disimp gültig valab valid válid geldig giltig gyldig voimas ważn platn geçerli važe veljav galioj kehtiv
derī vlefsh berlaku gewähl choisi elegid scelt escolh gekoz vald valgt valit wybra wybier zvolen válasz seçil ales
odabr izbran pasirin izvēl zgjedh triad pilih zufäl erzeug gener génér gerad willek slump tilfæld tilfeld satunn losow
náhod véletlen rastgele aleat aléat nasumič naključ atsitik juhus nejauš rastës ausaz acak angezeig affich visible
visív visib synlig näky widocz viditel viditeľ látha göster afiș vidlj vidn rodom näht redzam shfaq erakus visual
mostra getoond zichtb einmal eenmal ditampil ander gleich einzig eindeut unik unic únic uniek sensib sensit tempor
provis vorläuf dočasn tymczas ideiglen geçici privrem ajuti väliai midlert tillfäll tijdel effim efím efém éphém hemli
hemmel salai tajn tajem titok gizli secret segret poverl vertraul geheim confid konfid luottam poufn důvěr bizalm
persön person osobn osobist rotat rotér rotier rotow roteer geroteer rotir rotīr rotēt rotit obměň kierr txandak
yenile dirota renouv rinnov renov erneu förny forny verfüg dispon beschikb bekann unbek inconn desconoc sconosc nezn
niezn ismeretl bilinm gesetz defin impost inställ angiv indstil asetet ustaw nastav beáll ayarl postavlj nustaty määra
einge eingab ingevoer saisi introdu insér inser skriv indtast syöt wpisa wprow zadán zadan megad giril unes vnes įves
sises hårdkod fest codif ident équiv confirm bestätig bevest potwier potvr megerős onay patvir kinnit duga dugo dług
dlouh dlhé hossz uzun ilga pikk garš larg long pitkä lång mismo misma mesmo stesso même samme samma sama tento aynı
same isti isto käyttäj benutz gebruik utilis usuario utent użytk uživat použív felhaszn kullan korisn uporab naudot
kasutaj lietot përdor erabil pengguna
""".split()
_CYRILLIC = """
обяз обов опцион опциј опц забы забу забр забор забо изме змін смен промен пром подмен меня шифр хеш хэш прос истек
истё изтек невер вер вірн прав погр греш пуст поро праз хран збер сохран сачув запис случ випад насум сгенер генер
згенер задан указ отсут відсут вид показ дейст дійс вал важ выб обир избр изаб изра секр тай тај уник длин довг дуг
корот слаб надё наде прост слож врем тимч прив общ друг прежн стар нов мини найм бере пользов користув лежит лежить
скри смешт рот
""".split()
# These say something only if they are the whole word.
_WHOLE = frozenset(
    "adalah bosh brak gemt hutsik kerran korra ninguna nulla prazno raz sempre siempre toujours trống valgt valt "
    "yra zawsze zurzeit".split()
)
_REMARK = Pattern(rf"(?:{_NOT})?(?:{'|'.join([*_LATIN, *_CYRILLIC])})")


def is_remark(word: str) -> bool:
    """Tells whether a word, in lower case, is said of passwords in a language other than English."""
    return word in _WHOLE or bool(_REMARK.match(word))
