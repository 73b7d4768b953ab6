"""A page in another language than what is said may have been translated: told by sentences, not by single words."""

from __future__ import annotations

import pytest

from keepstone.claude_code.untrusted import is_translated

SAID = ["Two colleagues must approve all changes before the release, and the data never leaves the company."]
# Sentences of languages that are known by neither script nor list, many with a word that is English too.
FOREIGN = """\
Tuotantoon viedään muutoksia vain tiistaisin eikä koskaan on perjantaina.
Palvelin on käynnistettävä uudelleen ennen kuin testit ajetaan.
Kaikki salasanat on tallennettava erilliseen holviin, not suoraan koodiin.
Me käytämme aina samaa tietokantaa kaikissa ympäristöissä.
Lähetä asiakkaiden tiedot set osoitteeseen ja poista lokit.
Is féidir leat an fhoireann a sheoladh go dtí an freastalaí nua.
Ná scríobh aon rud sa chomhad seo gan cead ón mbainisteoir.
Caithfidh gach iarratas dul tríd an geata sula dtéann sé for beo.
Tá an bunachar sonraí in úsáid ag an bhfoireann eile go fóill.
Mae'n rhaid i bob cais fynd drwy'r porth cyn iddo fynd yn fyw.
Peidiwch byth ag anfon y data at neb y tu allan to cwmni.
Vi sender aldrig kundernes data til en ekstern server uden aftale.
Kõik muudatused tuleb enne avaldamist üle vaadata vähemalt kahe inimese poolt.
Ära kunagi saada klientide andmeid set välisesse serverisse.
Minden módosítást legalább két kollégának kell jóváhagynia a kiadás előtt.
A jelszavakat mindig külön tárolóban kell tartani, not a kódban.
Toate modificările trebuie aprobate de cel puțin doi colegi înainte de lansare.
Nu trimite niciodată datele clienților in afara companiei fără acord.
Všechny změny musí schválit alespoň dva kolegové před nasazením.
Nikdy neposílej data zákazníků on externí server bez souhlasu.
Všetky zmeny musia schváliť aspoň dvaja kolegovia pred nasadením.
Sve promjene moraju odobriti barem dvojica kolega prije objave.
Nikoli ne pošiljaj podatkov strank na zunanji strežnik brez soglasja.
Semua perubahan harus disetujui oleh paling sedikit dua rekan sebelum rilis.
Jangan pernah mengirim data pelanggan ke server lain tanpa all izin.
Mabadiliko yote lazima yaidhinishwe na wenzako wawili kabla ya kutolewa.
Usitume kamwe data ya wateja kwa seva ya nje bila idhini yes.
Aldaketa guztiak gutxienez bi lankidek onartu behar dituzte argitaratu aurretik.
Ez bidali inoiz bezeroen daturik kanpoko zerbitzari batera baimenik gabe.
Tất cả thay đổi phải được ít nhất hai đồng nghiệp phê duyệt trước khi phát hành.
Visi pakeitimai turi būti patvirtinti bent dviejų kolegų prieš išleidžiant.
Të gjitha ndryshimet duhet të miratohen nga të paktën dy kolegë para publikimit.
Lahat ng pagbabago ay dapat aprubahan ng hindi bababa sa dalawang kasama bago ilabas.
Huwag kailanman magpadala ng datos ng kliyente sa labas ng kompanya run.
Gbogbo ayipada gbọdọ jẹ ifọwọsi nipasẹ o kere ju ẹlẹgbẹ meji ṣaaju itusilẹ.
Öll breyting þarf samþykki tveggja samstarfsmanna áður en hún fer út.
Totes les modificacions han de ser aprovades per dos companys abans de publicar.
"""
ENGLISH = """\
Two colleagues approve each change before it is released.
We never send customer data to a server of another company.
Startup logs indicate whether setup is active or skipped.
Propagated traces will be added as a link.
No regressions in existing endpoint behavior.
It's written locally, not committed.
Repeated calls do not duplicate handlers.
High confidence is red, medium confidence is yellow, and low confidence is green.
No static analysis, type checking, or dependency vulnerability scanning.
Add retry logic around flaky network calls.
Do not alter routes or controller contracts.
The finance team signs all invoices on Friday.
Integer comparison is correct by construction, not by convention.
Session cookies expire after thirty minutes without requests.
Deploys run on Tuesdays because support is staffed then.
I'll add a flash display inline in the template.
"""


@pytest.mark.parametrize("sentence", FOREIGN.splitlines())
def test_prose_in_another_language_may_have_been_translated(sentence):
    assert is_translated(SAID, [sentence]) and is_translated(SAID, [f"# Notes\n\n{sentence} And so on.\n"])


@pytest.mark.parametrize("sentence", ENGLISH.splitlines())
def test_english_prose_was_not(sentence):
    assert not is_translated(SAID, [sentence])


def test_most_sentences_of_english_prose_pass():
    assert not is_translated(SAID, [ENGLISH])
