"""What is said of passwords in each language that redaction knows, without giving one away.

In each sentence ¤ is the word for a password. The order is that of `SAID`. Then come
short remarks that stand behind a colon.
"""

from __future__ import annotations

SAID = (
    *("required", "optional", "forgotten", "changed", "encrypted", "hashed", "expired", "wrong", "empty"),
    *("at least 12", "in the vault", "rotated", "never stored", "valid for 90 days", "chosen by the user"),
    *("generated", "shown only once"),
)
# language: (words for a password, sentences, remarks behind a colon)
SPOKEN: dict[str, tuple[str, str, str]] = {
    "English": (
        "password|passphrase|passcode|passwd|pwd|admin password",
        """The ¤ is required
The ¤ is optional
The ¤ was forgotten
The ¤ was changed
The ¤ is encrypted
The ¤ is hashed
The ¤ has expired
The ¤ is wrong
The ¤ is empty
The ¤ is at least 12 characters long
The ¤ is in the vault
The ¤ is rotated
The ¤ is never stored
The ¤ is valid for 90 days
The ¤ is chosen by the user
The ¤ is generated randomly
The ¤ is shown only once""",
        "required|optional|encrypted|expired|empty|wrong|unchanged",
    ),
    "German": (
        "Passwort|Kennwort|Losungswort|Admin-Passwort",
        """Das ¤ ist erforderlich
Das ¤ ist optional
Das ¤ wurde vergessen
Das ¤ wurde geändert
Das ¤ ist verschlüsselt
Das ¤ ist gehasht
Das ¤ ist abgelaufen
Das ¤ ist falsch
Das ¤ ist leer
Das ¤ ist mindestens 12 Zeichen lang
Das ¤ ist im Tresor
Das ¤ wird rotiert
Das ¤ ist nirgends gespeichert
Das ¤ ist 90 Tage gültig
Das ¤ ist vom Benutzer gewählt
Das ¤ ist zufällig erzeugt
Das ¤ lautet anders""",
        "erforderlich|optional|verschlüsselt|abgelaufen|leer|falsch|unverändert",
    ),
    "French": (
        "mot de passe|mot de passe admin|mdp",
        """Le ¤ est obligatoire
Le ¤ est facultatif
Le ¤ est oublié
Le ¤ est modifié
Le ¤ est chiffré
Le ¤ est haché
Le ¤ est expiré
Le ¤ est erroné
Le ¤ est vide
Le ¤ est long d'au moins 12 caractères
Le ¤ est dans le coffre
Le ¤ est renouvelé
Le ¤ n'est jamais stocké
Le ¤ est valable 90 jours
Le ¤ est choisi par l'utilisateur
Le ¤ est généré aléatoirement
Le ¤ est affiché une seule fois""",
        "obligatoire|facultatif|chiffré|expiré|vide|erroné|inchangé",
    ),
    "Spanish": (
        "contraseña|contraseña del admin|clave de acceso",
        """La ¤ es obligatoria
La ¤ es opcional
La ¤ está olvidada
La ¤ fue cambiada
La ¤ está cifrada
La ¤ es almacenada como hash
La ¤ está caducada
La ¤ es incorrecta
La ¤ está vacía
La ¤ es de al menos 12 caracteres
La ¤ está en la bóveda
La ¤ es rotada
La ¤ es efímera
La ¤ es válida por 90 días
La ¤ es elegida por el usuario
La ¤ es generada al azar
La ¤ es visible una vez""",
        "obligatoria|opcional|cifrada|caducada|vacía|errónea|inalterada",
    ),
    "Italian": (
        "password|parola d'ordine|parola chiave",
        """La ¤ è obbligatoria
La ¤ è facoltativa
La ¤ è dimenticata
La ¤ è cambiata
La ¤ è cifrata
La ¤ è sottoposta a hash
La ¤ è scaduta
La ¤ è sbagliata
La ¤ è vuota
La ¤ è di almeno 12 caratteri
La ¤ è nella cassaforte
La ¤ è ruotata
La ¤ è effimera
La ¤ è valida per 90 giorni
La ¤ è scelta dall'utente
La ¤ è generata a caso
La ¤ è visibile una volta""",
        "obbligatoria|facoltativa|cifrata|scaduta|vuota|sbagliata|invariata",
    ),
    "Portuguese": (
        "senha|palavra-passe|senha do admin",
        """A ¤ é obrigatória
A ¤ é opcional
A ¤ é esquecida
A ¤ é alterada
A ¤ é criptografada
A ¤ é guardada como hash
A ¤ é expirada
A ¤ é errada
A ¤ é vazia
A ¤ é de pelo menos 12 caracteres
A ¤ está no cofre
A ¤ é rotacionada
A ¤ é efémera
A ¤ é válida por 90 dias
A ¤ é escolhida pelo utilizador
A ¤ é gerada ao acaso
A ¤ é visível uma vez""",
        "obrigatória|opcional|cifrada|expirada|vazia|errada|inalterada",
    ),
    "Dutch": (
        "wachtwoord|admin-wachtwoord",
        """Het ¤ is verplicht
Het ¤ is optioneel
Het ¤ is vergeten
Het ¤ is gewijzigd
Het ¤ is versleuteld
Het ¤ is gehasht
Het ¤ is verlopen
Het ¤ is onjuist
Het ¤ is leeg
Het ¤ is minstens 12 tekens lang
Het ¤ is veilig in de kluis
Het ¤ is geroteerd
Het ¤ is nergens opgeslagen
Het ¤ is 90 dagen geldig
Het ¤ is gekozen door de gebruiker
Het ¤ is willekeurig gegenereerd
Het ¤ is eenmalig zichtbaar""",
        "verplicht|optioneel|versleuteld|verlopen|leeg|onjuist|ongewijzigd",
    ),
    "Swedish": (
        "lösenordet|lösenord|admin-lösenordet",
        """¤ är obligatoriskt
¤ är valfritt
¤ är bortglömt
¤ är ändrat
¤ är krypterat
¤ är hashat
¤ är utgånget
¤ är felaktigt
¤ är tomt
¤ är minst 12 tecken
¤ är sparat i valvet
¤ är roterat
¤ är aldrig sparat
¤ är giltigt i 90 dagar
¤ är valt av användaren
¤ är slumpmässigt
¤ är synligt en gång""",
        "obligatoriskt|valfritt|krypterat|utgånget|tomt|felaktigt|oförändrat",
    ),
    "Danish": (
        "adgangskoden|adgangskode|kodeordet|kodeord",
        """¤ er påkrævet
¤ er valgfrit
¤ er glemt
¤ er ændret
¤ er krypteret
¤ er hashet
¤ er udløbet
¤ er forkert
¤ er tomt
¤ er mindst 12 tegn
¤ er gemt i boksen
¤ er roteret
¤ er aldrig gemt
¤ er gyldigt i 90 dage
¤ er valgt af brugeren
¤ er tilfældigt
¤ er synligt en gang""",
        "påkrævet|valgfrit|krypteret|udløbet|forkert|uændret",
    ),
    "Norwegian": (
        "passordet|passord",
        """¤ er påkrevd
¤ er valgfritt
¤ er glemt
¤ er endret
¤ er kryptert
¤ er hashet
¤ er utløpt
¤ er feilaktig
¤ er tomt
¤ er minst 12 tegn
¤ er lagret i hvelvet
¤ er rotert
¤ er aldri lagret
¤ er gyldig i 90 dager
¤ er valgt av brukeren
¤ er tilfeldig
¤ er synlig en gang""",
        "påkrevd|valgfritt|kryptert|utløpt|feilaktig|uendret",
    ),
    "Finnish": (
        "salasana",
        """¤ on pakollinen
¤ on valinnainen
¤ on unohtunut
¤ on vaihdettu
¤ on salattu
¤ on tiivistetty
¤ on vanhentunut
¤ on virheellinen
¤ on tyhjä
¤ on vähintään 12 merkkiä
¤ on holvissa
¤ on kierrätetty
¤ on tallentamatta
¤ on voimassa 90 päivää
¤ on käyttäjän valitsema
¤ on satunnainen
¤ on näkyvissä kerran""",
        "pakollinen|valinnainen|salattu|vanhentunut|tyhjä|virheellinen|ennallaan",
    ),
    "Polish": (
        "hasło|hasło do bazy",
        """¤ jest wymagane
¤ jest opcjonalne
¤ jest zapomniane
¤ jest zmienione
¤ jest zaszyfrowane
¤ jest zahaszowane
¤ jest wygasłe
¤ jest błędne
¤ jest puste
¤ jest długie na 12 znaków
¤ jest przechowywane w sejfie
¤ jest rotowane
¤ jest nigdzie niezapisywane
¤ jest ważne 90 dni
¤ jest wybierane przez użytkownika
¤ jest losowe
¤ jest widoczne raz""",
        "wymagane|opcjonalne|zaszyfrowane|wygasłe|puste|błędne|niezmienione",
    ),
    "Czech": (
        "heslo|heslo k serveru",
        """¤ je povinné
¤ je volitelné
¤ je zapomenuté
¤ je změněné
¤ je zašifrované
¤ je hashované
¤ je vypršelé
¤ je nesprávné
¤ je prázdné
¤ je alespoň 12 znaků dlouhé
¤ je uložené v trezoru
¤ je obměňované
¤ je nikde neuložené
¤ je platné 90 dní
¤ je zvolené uživatelem
¤ je náhodné
¤ je viditelné jednou""",
        "povinné|volitelné|zašifrované|vypršelé|prázdné|nesprávné|nezměněno",
    ),
    "Slovak": (
        "heslo",
        """¤ je povinné
¤ je voliteľné
¤ je zabudnuté
¤ je zmenené
¤ je zašifrované
¤ je hašované
¤ je exspirované
¤ je nesprávne
¤ je prázdne
¤ je aspoň 12 znakov dlhé
¤ je uložené v trezore
¤ je rotované
¤ je nikde neuložené
¤ je platné 90 dní
¤ je zvolené používateľom
¤ je náhodné
¤ je viditeľné raz""",
        "povinné|voliteľné|zašifrované|exspirované|prázdne|nesprávne|nezmenené",
    ),
    "Hungarian": (
        "jelszó|a jelszó",
        """¤ kötelező
¤ opcionális
¤ elfelejtve
¤ megváltozott
¤ titkosítva van
¤ hashelve van
¤ lejárt
¤ hibás
¤ üres
¤ legalább 12 karakter
¤ a széfben van
¤ cserélve
¤ sosem tárolódik
¤ 90 napig érvényes
¤ a felhasználó választja
¤ véletlenszerű
¤ egyszer látható""",
        "kötelező|opcionális|titkosított|lejárt|érvénytelen|hibás|változatlan",
    ),
    "Turkish": (
        "şifre|şifresi|yönetici şifresi",
        """¤ zorunludur
¤ isteğe bağlıdır
¤ unutuldu
¤ değiştirildi
¤ şifrelenmiş
¤ özetlenmiş
¤ süresi dolmuş
¤ yanlıştır
¤ boştur
¤ en az 12 karakterdir
¤ kasadadır
¤ yenilenir
¤ asla saklanmaz
¤ 90 gün geçerlidir
¤ olan alan zorunlu
¤ rastgele üretilir
¤ bir kez gösterilir""",
        "zorunlu|isteğe bağlı|şifrelenmiş|geçersiz|boştur|yanlıştır|değişmedi",
    ),
    "Romanian": (
        "parola|parolă|parola de admin",
        """¤ este obligatorie
¤ este opțională
¤ este uitată
¤ este schimbată
¤ este criptată
¤ este hashuită
¤ este expirată
¤ este greșită
¤ este goală
¤ este de minimum 12 caractere
¤ este păstrată în seif
¤ este rotită
¤ este nestocată
¤ este valabilă 90 de zile
¤ este aleasă de utilizator
¤ este generată aleatoriu
¤ este afișată o dată""",
        "obligatorie|opțională|criptată|expirată|goală|greșită|neschimbată",
    ),
    "Croatian": (
        "lozinka",
        """¤ je obavezna
¤ je opcionalna
¤ je zaboravljena
¤ je promijenjena
¤ je šifrirana
¤ je hashirana
¤ je istekla
¤ je pogrešna
¤ je prazna
¤ je duga barem 12 znakova
¤ je spremljena u sefu
¤ je rotirana
¤ je nigdje nespremljena
¤ je važeća 90 dana
¤ je odabrana od korisnika
¤ je nasumična
¤ je vidljiva jednom""",
        "obavezna|opcionalna|šifrirana|istekla|prazna|pogrešna|nepromijenjena",
    ),
    "Slovene": (
        "geslo",
        """¤ je obvezno
¤ je neobvezno
¤ je pozabljeno
¤ je spremenjeno
¤ je šifrirano
¤ je zgoščeno
¤ je poteklo
¤ je napačno
¤ je prazno
¤ je dolgo vsaj 12 znakov
¤ je shranjeno v sefu
¤ je zamenjano
¤ je neshranjeno
¤ je veljavno 90 dni
¤ je izbrano po meri
¤ je naključno
¤ je vidno enkrat""",
        "obvezno|neobvezno|šifrirano|poteklo|prazno|napačno|nespremenjeno",
    ),
    "Lithuanian": (
        "slaptažodis",
        """¤ yra privalomas
¤ yra neprivalomas
¤ yra pamirštas
¤ yra pakeistas
¤ yra užšifruotas
¤ yra maišytas
¤ yra pasibaigęs
¤ yra neteisingas
¤ yra tuščias
¤ yra bent 12 ženklų
¤ yra saugykloje
¤ yra keičiamas
¤ yra nesaugomas
¤ yra galiojantis 90 dienų
¤ yra pasirinktas naudotojo
¤ yra atsitiktinis
¤ yra rodomas kartą""",
        "privalomas|neprivalomas|užšifruotas|pasibaigęs|tuščias|neteisingas|nepakeistas",
    ),
    "Estonian": (
        "parool",
        """¤ on kohustuslik
¤ on valikuline
¤ on ununenud
¤ on muudetud
¤ on krüpteeritud
¤ on räsitud
¤ on aegunud
¤ on vigane
¤ on tühi
¤ on vähemalt 12 märki
¤ on seifis
¤ on roteeritud
¤ on salvestamata
¤ on kehtiv 90 päeva
¤ on kasutaja valitud
¤ on juhuslik
¤ on nähtav korra""",
        "kohustuslik|valikuline|krüpteeritud|aegunud|puudub|vigane|muutmata",
    ),
    "Latvian": (
        "parole",
        """¤ ir obligāta
¤ ir neobligāta
¤ ir aizmirsta
¤ ir mainīta
¤ ir šifrēta
¤ ir jaukta
¤ ir beigusies
¤ ir nepareiza
¤ ir tukša
¤ ir vismaz 12 zīmes gara
¤ ir glabātavā
¤ ir rotēta
¤ ir neglabāta
¤ ir derīga 90 dienas
¤ ir lietotāja izvēlēta
¤ ir nejauša
¤ ir redzama vienreiz""",
        "obligāta|neobligāta|šifrēta|beigusies|tukša|nepareiza|nemainīta",
    ),
    "Catalan": (
        "contrasenya",
        """La ¤ és obligatòria
La ¤ és opcional
La ¤ és oblidada
La ¤ és canviada
La ¤ és xifrada
La ¤ és resumida
La ¤ és caducada
La ¤ és incorrecta
La ¤ és buida
La ¤ és de 12 caràcters com a mínim
La ¤ és a la caixa forta
La ¤ és rotada
La ¤ és efímera
La ¤ és vàlida 90 dies
La ¤ és triada per l'usuari
La ¤ és aleatòria
La ¤ és visible un cop""",
        "obligatòria|opcional|xifrada|caducada|buida|errònia|inalterada",
    ),
    "Vietnamese": (
        "mật khẩu",
        """¤ là bắt buộc
¤ là tùy chọn
¤ bị quên
¤ đã đổi
¤ được mã hóa
¤ được băm
¤ đã hết hạn
¤ không đúng
¤ là trống
¤ là ít nhất 12 ký tự
¤ nằm trong két
¤ được xoay vòng
¤ không bao giờ được lưu
¤ có hiệu lực 90 ngày
¤ do người dùng chọn
¤ là ngẫu nhiên
¤ chỉ hiện một lần""",
        "bắt buộc|tùy chọn|đã mã hóa|hết hạn|trống|không đúng",
    ),
    "Indonesian": (
        "kata sandi",
        """¤ adalah wajib
¤ adalah opsional
¤ terlupakan
¤ adalah perubahan
¤ dienkripsi
¤ di-hash
¤ kedaluwarsa
¤ adalah kesalahan
¤ kosong
¤ adalah minimal 12 karakter
¤ ada di brankas
¤ dirotasi
¤ tidak pernah disimpan
¤ berlaku 90 hari
¤ adalah pilihan pengguna
¤ adalah acak
¤ ditampilkan sekali""",
        "wajib|opsional|terenkripsi|kedaluwarsa|kosong|salah|tidak berubah",
    ),
    "Albanian": (
        "fjalëkalimi",
        """¤ është i detyrueshëm
¤ është opsional
¤ është harruar
¤ është ndryshuar
¤ është koduar
¤ është hashuar
¤ është skaduar
¤ është gabim
¤ është bosh
¤ është të paktën 12 shenja
¤ është ruajtur në kasafortë
¤ është rrotulluar
¤ është paruajtur
¤ është vlefshëm 90 ditë
¤ është zgjedhur nga përdoruesi
¤ është rastësor
¤ është shfaqur një herë""",
        "detyrueshëm|opsional|koduar|skaduar|bosh|gabim|pandryshuar",
    ),
    "Basque": (
        "pasahitza",
        """¤ nahitaezkoa da
¤ aukerakoa da
¤ ahaztuta dago
¤ aldatuta dago
¤ zifratuta dago
¤ hash gisa dago
¤ iraungita dago
¤ okerra da
¤ hutsik dago
¤ gutxienez 12 karaktere da
¤ kutxan dago
¤ txandakatzen da
¤ ez da gordetzen
¤ 90 egunez balio du
¤ erabiltzaileak aukeratzen du
¤ ausazkoa da
¤ behin erakusten da""",
        "nahitaezkoa|aukerakoa|zifratuta|iraungita|hutsik|okerra|aldatu gabe",
    ),
    "Russian": (
        "пароль|пароль от базы",
        """¤ обязателен
¤ необязателен
¤ забыт
¤ был изменён
¤ зашифрован
¤ хранится хешем
¤ просрочен
¤ неверен
¤ пуст
¤ это минимум 12 символов
¤ лежит в хранилище
¤ меняется по графику
¤ нигде не сохраняется
¤ действует 90 дней
¤ это выбор пользователя
¤ — случайная строка
¤ показывается один раз""",
        "обязателен|необязателен|зашифрован|просрочен|отсутствует|неверный|изменён",
    ),
    "Ukrainian": (
        "пароль",
        """¤ обов'язковий
¤ необов'язковий
¤ забутий
¤ змінено
¤ зашифровано
¤ хешовано
¤ прострочений
¤ невірний
¤ порожній
¤ щонайменше 12 символів
¤ лежить у сховищі
¤ змінюється за графіком
¤ ніколи не зберігається
¤ дійсний 90 днів
¤ обирає користувач
¤ — випадковий рядок
¤ показується один раз""",
        "обов'язковий|зашифровано|прострочений|порожній|невірний|незмінний",
    ),
    "Bulgarian": (
        "паролата|парола",
        """¤ е задължителна
¤ е незадължителна
¤ е забравена
¤ е променена
¤ е шифрована
¤ е хеширана
¤ е изтекла
¤ е грешна
¤ е празна
¤ е поне 12 знака
¤ е скрита в трезора
¤ е подменена
¤ е никъде незаписана
¤ е валидна 90 дни
¤ е избрана от потребителя
¤ е случайна
¤ е видима веднъж""",
        "задължителна|незадължителна|шифрована|изтекла|празна|грешна",
    ),
    "Serbian": (
        "лозинка|лозинката|шифрата",
        """¤ је обавезна
¤ је опциона
¤ је заборављена
¤ је промењена
¤ је шифрована
¤ је хеширана
¤ је истекла
¤ је погрешна
¤ је празна
¤ је дуга барем 12 знакова
¤ је смештена у сефу
¤ је ротирана
¤ није сачувана
¤ је важећа 90 дана
¤ је изабрана по жељи
¤ је насумична
¤ је видљива једном""",
        "обавезна|опциона|шифрована|истекла|празна|погрешна",
    ),
    "Chinese": (
        "密码|密碼|口令",
        """¤是必填的
¤是可选的
¤忘记了
¤已更改
¤是加密存储的
¤是哈希过的
¤已过期
¤是错误的
¤为空
¤至少12个字符
¤在保险库里
¤定期轮换
¤从不保存
¤有效期为90天
¤是用户自己设置的
¤是随机生成的
¤只显示一次""",
        "必填|可选|已加密存储|已过期|为空|错误|由管理员重置",
    ),
    "Japanese": (
        "パスワード|暗証番号",
        """¤は必須です
¤は任意項目です
¤を忘れた場合
¤を変更しました
¤は暗号化されています
¤はハッシュ化する
¤の有効期限が切れました
¤が間違っています
¤が空です
¤は12文字以上です
¤は金庫にあります
¤を定期的に更新する
¤は保存しません
¤の有効期限は90日
¤はユーザーが決めます
¤は自動生成されます
¤は一度だけ表示されます""",
        "必須|任意|暗号化済み|期限切れ|未設定|管理者に確認",
    ),
    "Korean": (
        "비밀번호|암호|패스워드",
        """¤는 필수입니다
¤는 선택사항입니다
¤를 잊으셨나요
¤를 변경했습니다
¤는 암호화됩니다
¤는 해시로 저장됩니다
¤가 만료되었습니다
¤가 틀렸습니다
¤가 비어있습니다
¤는 12자 이상
¤는 금고에 있습니다
¤는 주기적으로 교체합니다
¤는 저장하지 않습니다
¤는 90일 동안 유효
¤는 사용자가 정합니다
¤는 무작위로 생성됩니다
¤는 한번만 표시됩니다""",
        "필수|선택사항|암호화됨|만료되었음|없음|관리자에게문의",
    ),
    "Greek": (
        "κωδικός|ο κωδικός|κωδικός πρόσβασης",
        """¤ είναι υποχρεωτικός
¤ είναι προαιρετικός
¤ έχει ξεχαστεί
¤ άλλαξε χθες
¤ είναι κρυπτογραφημένος
¤ είναι κατακερματισμένος
¤ είναι ληγμένος
¤ είναι λανθασμένος
¤ είναι κενός
¤ είναι τουλάχιστον 12 χαρακτήρες
¤ είναι στο θησαυροφυλάκιο
¤ είναι εναλλασσόμενος
¤ δεν αποθηκεύεται ποτέ
¤ ισχύει για 90 ημέρες
¤ είναι επιλεγμένος από τον χρήστη
¤ είναι τυχαίος
¤ είναι ορατός μία φορά""",
        "υποχρεωτικός|προαιρετικός|κρυπτογραφημένος|ληγμένος|κενός|λανθασμένος",
    ),
    "Hebrew": (
        "סיסמה|הסיסמה",
        """¤ היא חובה
¤ היא אופציונלית
¤ נשכחה
¤ שונתה
¤ היא מוצפנת
¤ היא מגובבת
¤ פגה
¤ היא שגויה
¤ היא ריקה
¤ היא לפחות 12 תווים
¤ נמצאת בכספת
¤ מוחלפת
¤ לעולם לא נשמרת
¤ תקפה ל-90 ימים
¤ נבחרת על ידי המשתמש
¤ היא אקראית
¤ מוצגת פעם אחת""",
        "חובה|אופציונלית|מוצפנת|פגת תוקף|ריקה|שגויה",
    ),
    "Arabic": (
        "كلمة المرور|كلمة السر",
        """¤ مطلوبة
¤ اختيارية
¤ منسية
¤ تغيرت
¤ هي مشفرة
¤ هي مجزأة
¤ منتهية الصلاحية
¤ هي خاطئة
¤ فارغة
¤ هي 12 حرفا على الأقل
¤ في الخزنة
¤ يتم تدويرها
¤ لا تخزن أبدا
¤ صالحة لمدة 90 يوما
¤ يختارها المستخدم
¤ هي عشوائية
¤ تظهر مرة واحدة""",
        "مطلوبة|اختيارية|مشفرة|منتهية|فارغة|خاطئة",
    ),
    "Persian": (
        "رمز عبور",
        """¤ الزامی است
¤ اختیاری است
¤ فراموش شد
¤ تغییر کرد
¤ رمزگذاری شده است
¤ هش شده است
¤ منقضی شده
¤ نادرست است
¤ خالی است
¤ حداقل 12 نویسه است
¤ در گاوصندوق است
¤ چرخانده میشود
¤ هرگز ذخیره نمیشود
¤ تا 90 روز معتبر است
¤ را کاربر انتخاب میکند
¤ تصادفی است
¤ یک بار نشان داده میشود""",
        "الزامی|اختیاری|رمزگذاری شده|منقضی|خالی|نادرست",
    ),
    "Hindi": (
        "पासवर्ड",
        """¤ आवश्यक है
¤ वैकल्पिक है
¤ भूल गए
¤ बदला गया
¤ एन्क्रिप्टेड है
¤ हैश किया गया
¤ समाप्त हो गया
¤ गलत है
¤ खाली है
¤ कम से कम 12 अक्षर
¤ तिजोरी में है
¤ बदला जाता है
¤ कभी सहेजा नहीं जाता
¤ 90 दिन तक मान्य
¤ उपयोगकर्ता चुनता है
¤ यादृच्छिक है
¤ एक बार दिखता है""",
        "आवश्यक|वैकल्पिक|एन्क्रिप्टेड|समाप्त|खाली|गलत",
    ),
    "Thai": (
        "รหัสผ่าน",
        """¤คือช่องบังคับ
¤ไม่บังคับ
¤ถูกลืม
¤ถูกเปลี่ยน
¤ถูกเข้ารหัส
¤ถูกแฮช
¤หมดอายุแล้ว
¤ไม่ถูกต้อง
¤ว่างเปล่า
¤ต้องมีอย่างน้อย 12 ตัวอักษร
¤อยู่ในตู้นิรภัย
¤เปลี่ยนเป็นประจำ
¤ไม่ถูกเก็บไว้
¤ใช้ได้ 90 วัน
¤ผู้ใช้เลือกเอง
¤สุ่มขึ้นมา
¤แสดงเพียงครั้งเดียว""",
        "บังคับ|ไม่บังคับ|เข้ารหัสแล้ว|หมดอายุ|ว่างเปล่า|ไม่ถูกต้อง",
    ),
}

# English and code around the shapes that redaction knows. Of a hundred lines at most one may be redacted.
HARMLESS = r"""
We decided to hash passwords with argon2id and a 64 MB memory cost
The login page posts to /api/v2/session and gets a 302
Password reset links expire after 15 minutes
The password field is required
Our password policy is strict: 12 characters, no dictionary words
The default admin is created by the seed script
Use admin and editor roles in the tests
PIN 13 is set high when the relay opens
Pin 4020 to ground on the board
The build pins node 20.11.1 and pnpm 9.1.0
ssh deploy@bastion.acme.example then docker ps
commit 4f2a9c3e8b1d4f6a9c2e7b5d8f1a3c6e4f2a9c3e fixed the race
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 is the image digest
The uuid of the tenant is 123e4567-e89b-12d3-a456-426614174000
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0mUa0p0b9y2i3pC6cQ8s7mWm1c2u7n3nKQ0xq5h8Zz alice@laptop
integrity sha512-6Lk1Gk0mWq1Dq9sQxq8mO0o2n0h1GgK2fZ3Y9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c==
The token bucket holds 100 tokens and refills at 10 per second
tokens are stored in Redis with a TTL of 3600
The secret to fast builds is caching node_modules
Our secret sauce is the ranking model
The key is to keep transactions short
The key point: never block the event loop
api key rotation happens every 90 days
We keep API keys in Vault under kv/acme/prod/stripe
The env var STRIPE_SECRET_KEY is read in config/settings.py
password: str = Field(min_length=12)
const password = process.env.DB_PASSWORD
password_hash VARCHAR(255) NOT NULL
if user.password != password: raise AuthError
GET /users/42/password returns 405
The class PasswordHasher lives in auth/hasher.py
The passcode screen is shown after five minutes
Access denied for user 'shop'@'localhost' (using password: YES)
The credentials file is ~/.aws/credentials
AWS account 123456789012 is staging
arn:aws:iam::123456789012:role/deploy-role
The Kafka topic is orders.v2.created
phone support at +49 30 1234567 opens at nine
Invoice numbers look like RE-2024-000123
Order 4929-1188-0031 failed in the importer
Version 10.15.7-beta.3+build.20241105 is broken on arm64
The bundle hash main.4f2a9c3e.js changes with each build
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
https://github.com/acme/shop/commit/4f2a9c3e8b1d4f6a9c2e7b5d8f1a3c6e4f2a9c3e
https://docs.google.com/document/d/1aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789abcdef/edit
https://www.figma.com/file/AbCdEfGhIjKlMnOpQrSt/Design?node-id=1%3A2
The Slack channel id is C024BE91L
tests/fixtures/users.json has alice and bob with the password "test"
The passphrase prompt blocks ssh-agent in CI
The pass rate is 98.7 percent
pass the --no-verify flag to skip hooks
Bypass the cache with ?nocache=1
The compass module renders maps
passport.js handles OAuth; passport-local handles forms
Das Passwort muss mindestens 12 Zeichen haben
Das Passwortfeld ist auf der Anmeldeseite leer
Le mot de passe est stocké avec bcrypt
La contraseña es obligatoria en el formulario
пароль должен содержать 12 символов
密码必须至少8个字符
パスワードは8文字以上です
Zugangsdaten liegen im Vault
The login is slow since Monday
Login works again after the fix in #4312
User and password authentication is disabled on the bastion
Basic auth is off in production, we use OIDC
Bearer tokens are validated by the gateway
JWT claims: sub, iss, aud, exp
The private key lives in the HSM
public key fingerprint SHA256:uNiVztksCsDhcc0u9e8BrqXVUpJ2Jr1tHk0xVfVxUzY
-----BEGIN CERTIFICATE----- is at the top of ca.pem
kubectl get secret shop-db -o yaml
docker secret ls shows db_password and api_key
The secret named shop-db-credentials-v2 is mounted at /etc/secrets
connection string is postgres://localhost:5432/shop
postgresql://postgres:postgres@localhost:5432/test is the test database
redis://localhost:6379/0
amqp://guest:guest@localhost:5672
The seed phrase page of the wallet is feature-flagged
seed: 42 makes the tests deterministic
The recovery codes table has a unique index
OTP codes are six digits and valid for 30 seconds
2FA is mandatory for admins
The license is Apache-2.0
Product key SKU-88213-XL is out of stock
Queue names: shop-prod-eu-central-1-orders-dlq
S3 bucket acme-prod-artifacts-7f3a is in eu-west-1
EC2 instance i-0abcd1234efgh5678 runs the batch
ami-0a1b2c3d4e5f67890 is the base image
vpc-0f1e2d3c4b5a69788 peers with subnet-0a1b2c3d
MAC address 00:1B:44:11:3A:B7 is the printer
IPv6 2001:0db8:85a3:0000:0000:8a2e:0370:7334 is documentation
The regex ^[A-Za-z0-9+/]{40}$ finds AWS secrets
lorem ipsum dolor sit amet consectetur adipiscing
The function generateRandomPasswordForNewUser is deprecated
Set password_min_length to 14 in settings.yml
the temporary password expires after a day
The new password is hashed before it is compared
We changed the password to be optional for SSO users
the password is always lowercase in legacy systems
the admin password is rotated weekly
the root password is unset in containers
my password is wrong again, see the log
The wifi password is printed on the sticker
The PIN is four digits
The door code is on the wiki
User admin - Administrator of the site
Connect with admin and see the dashboard
sign in with Google and GitHub
Log in as root/superuser for migrations
access: read/write for the deploy group
Credentials: see 1Password vault Shop
credentials: include
fetch(url, { credentials: 'same-origin' })
tox -e py311-django42
Ticket ABC-1234 and PR #5678 belong together
translate key auth.password.reset.title is missing in fr.json
i18n: "password": "Mot de passe"
"passwordLabel": "Kennwort eingeben"
label for password is "Enter your password"
The cache key is user:{id}:profile:v3
primary key is (tenant_id, order_id)
The ssh key is loaded by the agent
Sorting key: created_at desc
The keyboard shortcut is Ctrl+Shift+P
signature mismatch: expected 0x1f2e3d4c got 0x4c3d2e1f
Ethereum contract 0x742d35Cc6634C0532925a3b844Bc454e4438f44e is ours
Bitcoin address bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq receives donations
ISBN 978-3-16-148410-0
The ETag is "33a64df551425fcc55e4d42a148795d9f25f89d4"
traceparent 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
Request id 9f1c2d3e-aaaa-bbbb-cccc-1234567890ab took 4 s
Git tag v2024.11.05-rc1 is on main
Nightly run 20241105T020000Z failed
The color is #a1b2c3 and the font Inter
Route /wp-login.php is blocked by the WAF
The user said "password manager" and meant Bitwarden
the password for the demo is shown on the login page
Passwords are compared in constant time
pwd prints /srv/app/current
cd "$(pwd)/build" && cmake ..
PWD=/srv/app make
OLDPWD is unset in cron
Pass through mode is on
mysql -u root -p shop < dump.sql
mysql -uroot -proot shop
psql -U postgres -W
ssh -p 2222 deploy@host
docker run -p 8080:80 nginx
curl -u "$USER:$TOKEN" https://ci
cp -p source.txt target.txt
redis-cli -a "$REDIS_PASSWORD" ping
The user logs in with the company account and a hardware token
Log in as admin and open the settings page
Use admin / viewer / editor as roles
Access to staging: ask Maria
Zugang: nur über VPN
Zugangsdaten stehen im Wiki unter Betrieb
Login: siehe README
login: required
Passwort: Pflichtfeld
Passwort vergessen führt zu /reset
Das Passwort ist verschlüsselt gespeichert
Das Passwort lautet im Test immer gleich
password: required, min 12
password: optional
password: string
password: hidden
password: ********
password = <your password>
password = ${DB_PASSWORD}
password: "{{ vault_db_password }}"
PASSWORD=changeme in the example file
export PASSWORD=
pass: 42, fail: 3, skip: 1
passed: true
Tests pass: 1240
pass/fail is shown in green/red
by-pass valve closes at 3 bar
PIN 4 is MISO, pin 5 is MOSI
pin 12 drives the relay
The PIN code dialog has four fields
PIN-Eingabe schlägt nach 3 Versuchen fehl
secret: see sealed-secrets.yaml
The secret rotates on 2026-12-01
token: bearer
tokens: 128000 context window
max_tokens=4096
The tokenizer splits camelCase
access_token expires_in 3600
refresh token rotation is on
api_key is a header, not a query parameter
apiKey: process.env.API_KEY
key: value
key=42
foreign key user_id references users(id)
unique key idx_orders_number
Key: orders/2024/11/05/batch-17.parquet
partition key: customer_id
the public key is in keys/deploy.pub
known_hosts has SHA256:uNiVztksCsDhcc0u9e8BrqXVUpJ2Jr1tHk0xVfVxUzY
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7vbqajDhA8Z user@host
-----BEGIN PUBLIC KEY----- MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A
cert serial 04:8A:3B:11:9C:77:20:FE
etag W/"5f-1a2b3c4d5e6f"
build 7f3c2a1 is live
Docker image ghcr.io/acme/shop@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
go.sum h1:Xv5erBjTwe/5IxqUQTdXv5kgmIvbHo3QQyRwhJsOfJA=
"integrity": "sha512-9gS9GVELQKBpZVtnmWgZlZ0sdx8xyGEGJ5LBpY8qd3EDWfG8J8n9r8dFZ2w1wYw1l7z9o0nYb1kq3T9Qq2w4ag=="
yarn.lock resolved https://registry.yarnpkg.com/x/-/x-1.0.0.tgz#0123456789abcdef0123456789abcdef01234567
CSP nonce-abc123 is in the header
script-src 'sha256-abc123def456ghi789jkl012mno345pqr678stu901='
The salt is 16 bytes
iterations: 600000
bcrypt cost 12
hash of the empty string e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
MD5 d41d8cd98f00b204e9800998ecf8427e means empty
CRC 0x04C11DB7
magic 0xDEADBEEF
GUID {6B29FC40-CA47-1067-B31D-00DD010662DA}
ULID 01ARZ3NDEKTSV4RRFFQ69G5FAV
nanoid V1StGXR8_Z5jdHi6B-myT
Stripe price price_1MoBy5LkdIwHu7ixZhnattbh
Stripe customer cus_NffrFeUfNV2Hib
publishable key pk_test_TYooMQauvdEDq54NiTphI7jx
Google Analytics G-ABCDEF1234
Sentry DSN https://examplePublicKey@o0.ingest.sentry.io/0
reCAPTCHA site key 6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI
Mapbox style mapbox://styles/acme/ckabc123
YouTube dQw4w9WgXcQ
Figma node 1234:5678
Jira ABC-123, DEF-456
phone 0043 1 234567-89
+1 (555) 010-9999
fax 030/1234567
DE 123456789 is the VAT id
Steuernummer 12/345/67890
BIC COBADEFFXXX
Order 2024-11-05-0001-A
EAN 4006381333931
Tracking 1Z999AA10123456784
IMEI field is 15 digits
coordinates 48.2082, 16.3738
2026-11-28T15:30:00.000+01:00
cron 0 2 * * 1-5
10.0.0.0/8 is internal
fe80::1ff:fe23:4567:890a
user@example.org is the test address
admin@acme.example gets alerts
root@buildhost runs cron
bob@host:/srv/app is the target
git@github.com:acme/shop.git
https://user@host/path
ftp://ftp.example.org/pub
file:///srv/app/config.yml
sqlite:////var/lib/app.db
mysql://localhost/shop
mongodb://localhost:27017/shop
https://hooks.slack.com/services/… is configured
curl -H "Authorization: Bearer $TOKEN" https://api
Authorization: Bearer <token>
Authorization: Basic <base64>
headers: { Authorization: `Bearer ${token}` }
if (password === confirmPassword) return true
assertEqual(user.password, None)
user.setPassword(hash)
def check_password(self, raw_password):
SELECT password FROM users WHERE id = 1
ALTER USER shop WITH PASSWORD NULL
CREATE ROLE shop LOGIN PASSWORD NULL
GRANT ALL ON shop.* TO 'shop'@'%'
passwd -l root locks the account
chpasswd reads from stdin
sudo needs no password for deploy
sshd: PasswordAuthentication no
PermitRootLogin prohibit-password
pam_pwquality minlen=12
pg_hba: host all all 10.0.0.0/8 scram-sha-256
kinit asks for the password
keytab /etc/krb5.keytab
gpg --armor --export ABCD1234EF567890
fingerprint 4AEE 18F8 3AFD EB23 FA5A 7C6B 8F2D 1B2C 3D4E 5F60
The word password appears 12 times
Das Kennwort ändern wir alle 90 Tage
mot de passe oublié ouvre un dialogue
le mot de passe doit contenir 12 caractères
la clave primaria es order_id
la clave es cachear las consultas
A senha é obrigatória
la password è obbligatoria
wachtwoord vergeten stuurt een mail
hasło musi mieć 12 znaków
пароль обязателен
пароль не хранится в базе
ключ кэша строится из id
密码字段是必填的
密码长度为12
パスワードを忘れた場合
비밀번호는 필수입니다
code 404 means not found
exit code 137 means killed
error code 23505 is unique_violation
the discount code is SUMMER24
promo code field accepts 8 characters
country code DE, area code 030
zip code 10115
QR code links to /t/4711
the entry code lives in src/main.ts
unlock the mutex with a guard
the lock opens at 08:00
safe mode starts with --safe
type Alt+F4 to close
enter 'quit' when asked
type y when prompted
press enter when asked for a passphrase
answer yes when it asks
key for the map is on the right
the network key of the cache is the host
wifi: 2.4 GHz only
wlan ist im Lager schwach
SSID is GuestNet
the wifi is slow in the kitchen
WPA2 is on, WPA3 is not
the network key of the map is its name
PSK authentication is off, we use certificates
type exit at the prompt
type make deploy2 at the shell prompt
enter v2 when asked for the version
enter the ticket number when asked
type your password at the sudo prompt
enter your password when asked
when it asks for the host, type localhost:8080
old and new passwords are compared in constant time
the password used to be optional but now it is required
the password was optional and is required now
admin:admins is the owner of the folder
nginx:1.25.3 is the image
redis:7-alpine and postgres:16 are the images
users:read and users:write are the scopes
docs:build2 is a script
admin:settings2 opens the page
root:x:0:0:root:/root:/bin/bash
order 4929 1188 0031 7746 failed
build 20241105123456789 is live
1234567890123456 rows were read
trace 4111111111111112 is lost
timestamps like 1732809600000 are in milliseconds
the door opens at 8:30
the door is code 4 in the enum
the safe list has 12-34 entries
the gate code lives in gate.py
numbers 123456-654321 are ranges
keytool -list -keystore app.jks
the keystore is in /etc/app.jks
storepass and keypass come from the vault
JWT_SECRET: required
JWT_SECRET: see the vault
JWT_SECRET is read from the environment
JWT_SECRET: string
SESSION_SECRET: generated
APP_SECRET: ${APP_SECRET}
p/w reset is slow
the user/pw pair comes from the vault
password: 'the same as before'
password: "must not be empty"
"the password is wrong" is what it says
the shared master branch is protected
the shared Redis master is redis-1.internal
the master is db1-primary-eu
the shared runner is gitlab-runner-2
use admin with role2 to connect
use psycopg2 with asyncio to connect to postgres
use deploy with sudo to restart nginx
connect with psql as shop_rw to postgres
SMTP user and secret come from the vault
Login root is disabled on prod2
login admin2 has no rights
Zugang Grafana: viewer - nur lesen
Zugang: Mitarbeiter - ab Mai 2026
clave primaria: order_id2
la clave foránea es user_id
la clave del mapa es cacheKey2
clé primaire: id_commande
clé étrangère: user_id2
key for the cache: user2
key for the map: region7
the PIN of the chip is 13
PIN for the board is GPIO17
passcode for the door is on the wiki
le mot de passe, c'est obligatoire
le mot de passe, c'est l'utilisateur qui le choisit
пароль пользователя
пароль версии 2
parola este obligatorie
parole of the board
contrasenya obligatòria
bitlocker is on for all laptops
the bitlocker key is in the vault
""".strip().splitlines()


def spoken_of() -> list[tuple[str, str]]:
    """(language, text)"""
    made = []
    for language, (names, sentences, remarks) in SPOKEN.items():
        for name in names.split("|"):
            made += [(language, line.replace("¤", name)) for line in sentences.splitlines()]
            made += [(language, f"{name}{colon} {said}") for said in remarks.split("|") for colon in (":", " =", "：")]
    return made
