/**
 * Domains whose addresses belong to strangers: mail services, and suffixes under which anybody registers. Nobody can add
 * a TXT record there, so this list only gives a better message sooner.
 */
export const publicDomains = new Set(
  `gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com icloud.com me.com mac.com aol.com
  gmx.de gmx.net gmx.com gmx.at gmx.ch web.de freenet.de t-online.de proton.me protonmail.com pm.me mail.ru bk.ru inbox.ru
  yandex.ru yandex.com qq.com 163.com 126.com sina.com foxmail.com naver.com daum.net hanmail.net fastmail.com zoho.com
  hey.com tutanota.com tuta.com mail.com orange.fr free.fr laposte.net sfr.fr wanadoo.fr libero.it virgilio.it alice.it
  terra.com.br uol.com.br bol.com.br rediffmail.com btinternet.com sky.com comcast.net verizon.net att.net cox.net
  co.uk org.uk ac.uk gov.uk com.au net.au org.au co.jp ne.jp or.jp com.br com.cn co.in co.nz co.za com.mx com.tr com.sg
  github.io gitlab.io herokuapp.com vercel.app netlify.app pages.dev workers.dev azurewebsites.net onmicrosoft.com`.split(
    /\s+/,
  ),
);
