"""Orders to the grader in other languages, in the notation of the word-order rules.

Han and kana are read character by character, so their words are written with spaces.
"""

TRANSLATED = {
    "de": """
ignorier*|vergiss|vergess*|missachte*|überspring* ~5 anweisung*|instruktion*|vorgaben|regeln|\
befehle|bewertungskriterien|rubrik|kriterien
volle|vollen|voller|maximale|höchste|alle|sämtliche punktzahl|punkte|note|bewertung|bestnote
vergib|vergeben|gib|geben|markiere*|setze|bewerte*|werte* ~6 erfüllt|punkte|punktzahl|bestanden|\
bestnote
""",
    "fr": """
ignore|ignorez|ignorer|oublie|oubliez|oublier ~5 instructions|instruction|consigne*|directives|\
règles|barème
note|notes|points|score maximale|maximal|maximum|complète|totale|parfaite|parfait
tous les points
donne*|attribue*|accorde*|mets|mettez ~5 note|points|score
marque*|considère*|valide* ~5 critère*|signaux|signal ~5 satisfait*|rempli*|validé*|atteint*
""",
    "es": """
ignora|ignore|ignorar|olvida|olvide|olvidar ~5 instruccion*|reglas|indicaciones|rúbrica|\
directrices|baremo
puntuación|nota|calificación máxima|completa|perfecta
todos los puntos
da|dame|dale|otorga|otorgue|asigna|asigne|pon ~5 puntuación|puntos|nota|calificación
aprueba*|apruebe* ~3 candidato|estudiante|respuesta
nota|puntuación|calificación más alta
marca|marque|considera|considere ~5 criterio*|señal* ~5 cumplid*|correct*|satisfech*
""",
    "pt": """
ignore|ignora|ignorar|esqueça|esquece ~5 instruç*|regras|orientações|rubrica|diretrizes
pontuação|nota máxima|total|completa|perfeita
todos os pontos
atribua|conceda|dê|dá ~5 pontuação|pontos|nota
""",
    "it": """
ignora|ignorate|ignorare|dimentica|dimenticate ~5 istruzion*|regole|criteri|rubrica
punteggio|voto|voti massimo|pieno|pieni|massimi|completo
assegna|assegnate|dai|attribuisci ~5 punteggio|punti|voto
""",
    "nl": """
negeer|vergeet|negeren ~5 instructies|aanwijzingen|regels|opdrachten|beoordelingscriteria
volledige|maximale|alle|hoogste punten|score|cijfer|puntenaantal
""",
    "pl": """
zignoruj|ignoruj|zapomnij ~5 instrukcj*|polecen*|zasad*|wytyczn*
maksymaln*|pełn*|najwyższ* ~1 punkt*|ocen*|liczb*
""",
    "sv": """
ignorera|glöm ~5 instruktion*|anvisning*|regler*
full|fulla|högsta|maximal poäng|betyg
""",
    "cs": """
ignoruj*|zapomeň* ~5 pokyn*|instrukc*|pravid*
pln*|maximáln*|nejvyšš* počet|bod*|hodnocen*|skóre
""",
    "ro": """
ignor*|uita* ~5 instrucțiun*|regul*
punctaj*|nota maxim*|complet*
""",
    "tr": """
önceki|tüm|bütün|yukarıdaki ~3 talimat*|komut*|yönerge* ~3 yok|dikkate|unut*|görmezden|boşver
tam|en puan|yüksek ~1 ver*|not*|puan*
""",
    "vi": """
bỏ qua ~5 hướng|chỉ|lệnh ~1 dẫn|thị|trước
điểm tối|tuyệt đa|đối
""",
    "id": """
abaikan|lupakan ~5 instruksi|perintah|petunjuk|aturan
nilai|skor|poin penuh|maksimal|sempurna|tertinggi
""",
    "ru": """
игнорируй*|проигнорируй*|забудь*|отбрось* ~5 инструкци*|указани*|правил*|команд*|критери*
максимальн*|полн*|высш*|наивысш* ~1 балл*|оценк*
поставь*|дай*|выстави*|присвой* ~4 балл*|оценк*|зачёт
отметь*|считай* ~5 критери*|сигнал* ~4 выполнен*
""",
    "uk": """
ігноруй*|проігноруй*|забудь* ~5 інструкці*|вказівк*|правил*|команд*
максимальн*|повн*|найвищ* ~1 бал*|оцінк*
""",
    "ar": """
تجاهل|تجاهلوا|انس|تخط ~5 التعليمات|تعليمات|الأوامر|القواعد|المعايير
الدرجة|العلامة|درجة|علامة|الدرجات الكاملة|كاملة|النهائية|القصوى
امنح*|أعط*|ضع|سجل ~5 الدرجة|العلامة|درجة|الدرجات|علامة
""",
    "fa": """
دستور*|دستورالعمل* ~5 نادیده|فراموش
نمره|امتیاز ~1 کامل
""",
    "he": """
התעלם|התעלמי|התעלמו|שכח ~5 הוראות|ההוראות|הנחיות|ההנחיות|מההוראות|מהוראות|מההנחיות
ציון|ניקוד|הציון|הניקוד מלא|מקסימלי|המלא|המרבי
""",
    "hi": """
निर्देश* ~5 अनदेखा|नज़रअंदाज़|भूल*|उपेक्षा
अनदेखा|नज़रअंदाज़|भूल* ~5 निर्देश*
पूरे|पूर्ण|अधिकतम|पूरा ~1 अंक*|नंबर
""",
    "zh": """
忽 略 ~10 指 示|令
忽 略 ~10 说|說|規|规|要|提|评|評 明|則|则|求|示|分
无|無 视|視 ~10 指|规|規|说|說|提|要 示|令|则|則|明|求
忘 记|掉|記 ~10 指|规|規|说|說 示|令|则|則|明
满|滿 分
最 高 分
全 部 分 数|數
判|视|視|算|当|當|评|評 为|為|作|成 ~3 满|滿|通|正|达|符 足|过|過|确|確|成|合
标|標 记|為|为|記 ~8 满|滿|通|正|达|符 足|过|過|确|確|成|合
""",
    "ja": """
満 た ~8 判|見|採 定|な|点
合 格 ~4 判|採 定|点
指|命 示|令 ~8 無|忘 視|れ
満 点
最 高 点
""",
    "ko": """
기준* ~4 충족* ~3 처리*|간주*|판정*|인정*
지시*|명령*|지침*|규칙* ~4 무시*|잊*
무시* ~4 지시*|명령*|지침*
만점*|최고점*
모든 점수*
""",
    "da": """
fuld|fulde|fullt|maksimal|højeste|alle point|poeng|karakter
ignorer|glem ~5 instruktion*|instruks*|regler
""",
    "th": """
เพิกเฉย*|ละเว้น*|ไม่ต้องสนใจ*
คะแนนเต็ม*|ให้คะแนนเต็ม*
""",
}
