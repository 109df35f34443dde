"""The few sentences that the public reads on a display, in the table's language, in neutral words."""

from controller.table.board import Notice

NOTICES: dict[str, dict[Notice, str]] = {
    "en": {
        Notice.NONE: "",
        Notice.HELD: "One moment, please",
        Notice.TILT: "Table closed",
        Notice.SHOE_QUIET: "Waiting for a card",
        Notice.LAST_COUP: "Last coup of this shoe",
    },
    "th": {
        Notice.NONE: "",
        Notice.HELD: "กรุณารอสักครู่",
        Notice.TILT: "ปิดโต๊ะ",
        Notice.SHOE_QUIET: "กำลังรอไพ่",
        Notice.LAST_COUP: "ตาสุดท้ายของขอนนี้",
    },
    "zh": {
        Notice.NONE: "",
        Notice.HELD: "请稍候",
        Notice.TILT: "本台暂停",
        Notice.SHOE_QUIET: "等待发牌",
        Notice.LAST_COUP: "本靴最后一局",
    },
}
"""By language code, then by notice."""

LEVELS = {Notice.HELD: "hold", Notice.TILT: "tilt"}
"""How loud a notice is; the others are information."""
