"""What a panel says in the three languages of a table: English, Thai, Chinese as in Macau."""

from types import MappingProxyType

_ROWS = """
no-more-bets  | No more bets       | ปิดรับเดิมพัน        | 停止下注
natural       | Natural            | แนเชอรัล           | 例牌
player-draws  | Player draws       | ผู้เล่นจั่วไพ่          | 閒家補牌
player-stands | Player stands      | ผู้เล่นอยู่            | 閒家不補牌
banker-draws  | Banker draws       | เจ้ามือจั่วไพ่         | 莊家補牌
banker-stands | Banker stands      | เจ้ามืออยู่           | 莊家不補牌
player-wins   | Player wins        | ผู้เล่นชนะ           | 閒贏
banker-wins   | Banker wins        | เจ้ามือชนะ          | 莊贏
tie           | Tie                | เสมอ              | 和
no-shoe       | No shoe            | ยังไม่มีขอนไพ่        | 未上牌靴
burning       | Burning cards      | เผาไพ่             | 銷牌
betting       | Place your bets    | วางเดิมพัน          | 請下注
bets-closed   | Bets closed        | ปิดรับเดิมพันแล้ว      | 已停止下注
dealing       | Dealing            | แจกไพ่             | 發牌
naturals      | Two cards each     | ฝ่ายละสองใบ        | 各兩張牌
player-rule   | Player's third card| ไพ่ใบที่สามผู้เล่น      | 閒家第三張
banker-rule   | Banker's third card| ไพ่ใบที่สามเจ้ามือ     | 莊家第三張
settling      | Settling           | จ่ายเดิมพัน          | 派彩
held          | Please wait        | โปรดรอสักครู่        | 請稍候
shoe-ended    | End of the shoe    | จบขอนไพ่           | 牌靴結束
tilt          | Out of service     | งดให้บริการ         | 暫停服務
player        | Player             | ผู้เล่น             | 閒
banker        | Banker             | เจ้ามือ             | 莊
void          | No result          | ไม่มีผล             | 本局無效
simulation    | SIMULATION         | การจำลอง           | 模擬
no-link       | No link            | ไม่มีการเชื่อมต่อ      | 未連線
shoe          | Shoe               | ขอนไพ่             | 牌靴
coup          | Coup               | ตา                | 局
seconds       | s left             | วินาที              | 秒
next          | Next card          | ไพ่ใบต่อไป          | 下一張
limits        | Limits             | วงเงินเดิมพัน        | 限額
road          | Bead plate         | เค้าไพ่             | 珠盤路
wins          | Wins               | ชนะ               | 中
pushes        | Push               | คืนเดิมพัน          | 退回
"""

LANGUAGES = ("en", "th", "zh")


def _table() -> MappingProxyType[tuple[str, str], str]:
    words: dict[tuple[str, str], str] = {}
    for row in _ROWS.strip().splitlines():
        name, *texts = (cell.strip() for cell in row.split("|"))
        words |= {(name, language): text for language, text in zip(LANGUAGES, texts, strict=True)}
    return MappingProxyType(words)


WORDS = _table()


def word(name: str, language: str) -> str:
    """`name` (a phase, a call, an outcome, a heading) in the table's language; unknown names stay as they are."""
    return WORDS.get((name, language), WORDS.get((name, "en"), name))
