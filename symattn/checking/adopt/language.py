"""Which of our languages a text is in, by its script.

>>> [language_of(text) for text in ("對每一列做 softmax", "对每一行做 softmax", "行ごとの softmax", "over rows")]
['zh-Hant', 'zh-Hans', 'en', 'en']
"""

from __future__ import annotations

import re

_HAN = re.compile(r"[\u4e00-\u9fff]")
_OTHER = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_WORD = re.compile(r"[A-Za-z]{2,}")
_SIMPLIFIED = frozenset(
    "们这个为来时对说会后发经过进还开关问间让认识计题图书话语该请调词输权长见观现规则张转边达运连选"
    "远适应总态无与两严业东专丛举义乌乐习买乱争产亲亿仅从仓仪价众优伙传伤伦伪体余侧侦俩债倾偿储儿"
    "内况冲决净减凑几凤击划刘刚创删别办务动势劳区医华协单卖卢卫却厂历压参双变叶号叹吓吗启员响哑园"
    "围国圆圣场坏块坚坛处备复够头夹夺奖妇学宁实审宽对导层属岁岛币师带帮广庆库异张归当录彻径忆怀"
    "态怜总恒恳悬惊惧惩惯愿戏战户扩扫扬护报担拟拥拨择挂挡损换据掷摄数断旧显晓术机杀杂条极构标样"
    "树桥检楼横欢欧步歼残毕汇汉污沟没泪泽洁测济浅浆润满滚演灭灵点炼热爱状独猎环电盖监盘着矩码确离"
    "种积称稳穷笔简类粮紧约级纪纯线练组细终绍给络绝统继绩续维综编缓缩网罗职联脑脚脸节范获虑补装"
    "视览觉触订讨训议记讲许论设访证评译试诗诚详误谁谈谱负败质贴费资赛赶趋跃轮软轻载较辑输适逻"
    "释里针钟钱铁错键镜门闭阵阶际陆随难预领频颜颗额风飞饭驱验高鱼鲜齐龙"
)
_TRADITIONAL = frozenset(
    "們這個為來時對說會後發經過進還開關問間讓認識計題圖書話語該請調詞輸權長見觀現規則張轉邊達運連選"
    "遠適應總態無與兩嚴業東專叢舉義烏樂習買亂爭產親億僅從倉儀價眾優夥傳傷倫偽體餘側偵倆債傾償儲兒"
    "況衝決淨減湊幾鳳擊劃劉剛創刪別辦務動勢勞區醫華協單賣盧衛卻廠歷壓參雙變葉號嘆嚇嗎啟員響啞園"
    "圍國圓聖場壞塊堅壇處備復夠頭夾奪獎婦學寧實審寬導層屬歲島幣師帶幫廣慶庫異歸當錄徹徑憶懷"
    "憐恆懇懸驚懼懲慣願戲戰戶擴掃揚護報擔擬擁撥擇掛擋損換據擲攝數斷舊顯曉術機殺雜條極構標樣"
    "樹橋檢樓橫歡歐殲殘畢匯漢汙溝沒淚澤潔測濟淺漿潤滿滾滅靈點煉熱愛狀獨獵環電蓋監盤著碼確離"
    "種積稱穩窮筆簡類糧緊約級紀純線練組細終紹給絡絕統繼績續維綜編緩縮網羅職聯腦腳臉節範獲慮補裝"
    "視覽覺觸訂討訓議記講許論設訪證評譯試詩誠詳誤誰談譜負敗質貼費資賽趕趨躍輪軟輕載較輯邏"
    "釋裡針鐘錢鐵錯鍵鏡門閉陣階際陸隨難預領頻顏顆額風飛飯驅驗魚鮮齊龍"
)


def language_of(text: str) -> str:
    """Chinese in traditional or simplified characters where there is more of it than words in letters, else English."""
    han = _HAN.findall(text)
    if not han or len(_OTHER.findall(text)) * 10 > len(han) or len(han) < len(_WORD.findall(text)):
        return "en"
    traditional = sum(character in _TRADITIONAL and character not in _SIMPLIFIED for character in han)
    simplified = sum(character in _SIMPLIFIED and character not in _TRADITIONAL for character in han)
    return "zh-Hans" if simplified > traditional else "zh-Hant"
