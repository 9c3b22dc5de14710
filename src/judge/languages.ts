/*
 * Words that decide, in other languages, as English words: negations, opposites, quantifiers, units, environments. A
 * text in one of them is then judged as an English one with foreign nouns. `word=english words`, `_` for a space,
 * nothing after `=` for a word of grammar.
 */

const GERMAN =
  'der= die= das= den= dem= des= ein= eine= einen= einem= einer= ist=is sind=are war=was waren=were wird=is werden=are wurde=was ' +
  'wurden=were hat=has haben=has und=and oder=or in=in im=in auf=on mit=with von=of vom=of zu=to zum=to zur=to für=for aus=from bei=at ' +
  'beim=at nach=after vor=before über=above unter=under durch=by seit=since bis=until nicht=not kein=no keine=no keinen=no keinem=no ' +
  'niemals=never nie=never ohne=without mehr=more nur=only ausschließlich=only alle=all allen=all jede=each jeder=each jedes=each jeden=each ' +
  'einige=some manche=some mindestens=at_least höchstens=at_most maximal=at_most muss=must müssen=must darf=may dürfen=may kann=can ' +
  'können=can soll=must aktiviert=enabled deaktiviert=disabled eingeschaltet=enabled ausgeschaltet=disabled an=on aus=off erlaubt=allowed ' +
  'verboten=forbidden optional=optional erforderlich=required nötig=required pflicht=required schlägt=fails fehl= fehlgeschlagen=failed fehlschlagen=fails läuft=runs ' +
  'erfolgreich=passed besteht=passes produktion=production produktionsumgebung=production testumgebung=testing entwicklung=development ' +
  'entwicklungsumgebung=development standardmäßig=by_default tag=day tage=days tagen=days woche=weeks wochen=weeks stunde=hours stunden=hours ' +
  'sekunde=seconds sekunden=seconds minute=minutes minuten=minutes monat=months monate=months monaten=months jahr=years jahre=years täglich=daily ' +
  'wöchentlich=weekly stündlich=hourly monatlich=monthly nächtlich=nightly lang= gelöscht=deleted löscht=deletes behalten=kept aufbewahrt=kept gespeichert=stored ' +
  'synchron=sync asynchron=async parallel=parallel nacheinander=sequential sequenziell=sequential verschlüsselt=encrypted unverschlüsselt=unencrypted öffentlich=public privat=private ' +
  'statisch=static dynamisch=dynamic manuell=manual automatisch=automatic nutzt=uses verwendet=uses benutzt=uses läuft=runs lauscht=listens hört=listens es= sie= er= sich= dieser= diese= dieses= welche= welcher= wo= werden=are laufen=run schlagen=fail wenn=when zwei=two drei=three vier=four fünf=five sechs=six sieben=seven acht=eight neun=nine zehn=ten';

const FRENCH =
  'le= la= les= l= un= une= des=of de=of du=of d=of est=is sont=are était=was a=has ont=has et=and ou=or dans=in en=in sur=on avec=with par=by ' +
  'pour=for à=to au=to aux=to depuis=since avant=before après=after ne= n= pas=not plus=no_longer jamais=never aucun=no aucune=no rien=nothing sans=without ' +
  'seulement=only uniquement=only tous=all toutes=all tout=all toute=all chaque=each quelques=some certains=some certaines=some moins=least doit=must doivent=must ' +
  'peut=can peuvent=can activé=enabled activée=enabled activés=enabled désactivé=disabled désactivée=disabled désactivés=disabled autorisé=allowed autorisée=allowed ' +
  'interdit=forbidden interdite=forbidden facultatif=optional facultative=optional obligatoire=required requis=required requise=required échoue=fails échouent=fails échoué=failed ' +
  'réussit=passes réussissent=passes réussi=passed production=production recette=staging développement=development test=testing tests=testing défaut=default jour=days jours=days semaine=weeks ' +
  'semaines=weeks heure=hours heures=hours seconde=seconds secondes=seconds minutes=minutes mois=months an=years ans=years pendant= quotidien=daily hebdomadaire=weekly ' +
  'supprimé=deleted supprimés=deleted supprimées=deleted supprime=deletes conservé=kept conservés=kept conservées=kept gardés=kept gardées=kept synchrone=sync asynchrone=async chiffré=encrypted chiffrée=encrypted chiffrés=encrypted ' +
  'public=public privé=private statique=static dynamique=dynamic utilise=uses écoute=listens que= qui= se= s= il= elle= ce= cette= ces= celui= celle= lequel= laquelle= où= dont= leur= leurs= son= sa= ses= deux=two trois=three quatre=four cinq=five six=six sept=seven huit=eight neuf=nine dix=ten';

const SPANISH =
  'el= la= los= las= un= una= de=of del=of es=is son=are está=is están=are fue=was ha=has han=has tiene=has tienen=has y=and o=or en=in con=with por=by para=for ' +
  'a=to al=to desde=since hasta=until antes=before después=after no=not nunca=never jamás=never ningún=no ninguna=no ninguno=no nada=nothing sin=without ya= solo=only ' +
  'sólo=only solamente=only únicamente=only todos=all todas=all todo=all toda=all cada=each algunos=some algunas=some debe=must deben=must puede=can pueden=can ' +
  'activado=enabled activada=enabled activados=enabled habilitado=enabled habilitada=enabled desactivado=disabled desactivada=disabled deshabilitado=disabled ' +
  'deshabilitada=disabled permitido=allowed permite=allows permiten=allows prohibido=forbidden prohíbe=forbids opcional=optional obligatorio=required obligatoria=required requiere=requires ' +
  'falla=fails fallan=fails falló=failed pasa=passes pasan=passes pasó=passed producción=production pruebas=testing desarrollo=development preproducción=staging día=days días=days semana=weeks ' +
  'semanas=weeks hora=hours horas=hours segundo=seconds segundos=seconds minuto=minutes minutos=minutes mes=months meses=months año=years años=years durante= ' +
  'borra=deletes elimina=deletes eliminan=deletes conserva=keeps conservan=keeps conservados=kept guarda=stores guardan=stores síncrono=sync asíncrono=async cifrado=encrypted ' +
  'público=public privado=private estático=static dinámico=dynamic usa=uses utiliza=uses escucha=listens puerto=port donde= que= se= este= esta= ese= cual= su= sus= lo= le= fallaron=failed diario=daily semanal=weekly dos=two tres=three cuatro=four cinco=five seis=six siete=seven ocho=eight nueve=nine diez=ten';

const PORTUGUESE =
  'o= os= as= um= uma= de=of do=of da=of dos=of das=of é=is são=are está=is estão=are foi=was tem=has têm=has e=and ou=or em=in no=in na=in nos=in nas=in com=with por=by ' +
  'pelo=by pela=by para=for a= ao=to desde=since até=until antes=before depois=after não=not nunca=never jamais=never nenhum=no nenhuma=no nada=nothing sem=without só=only ' +
  'somente=only apenas=only todos=all todas=all todo=all toda=all cada=each alguns=some algumas=some deve=must devem=must pode=can podem=can ativado=enabled ativada=enabled ' +
  'ativo=enabled habilitado=enabled habilitada=enabled desativado=disabled desativada=disabled desabilitado=disabled desabilitada=disabled permitido=allowed permite=allows ' +
  'proibido=forbidden opcional=optional obrigatório=required obrigatória=required exige=requires requer=requires falha=fails falham=fails falhou=failed passa=passes passam=passes ' +
  'passou=passed produção=production teste=testing testes=testing homologação=staging desenvolvimento=development dia=days dias=days semana=weeks semanas=weeks hora=hours horas=hours ' +
  'segundo=seconds segundos=seconds minuto=minutes minutos=minutes mês=months meses=months ano=years anos=years durante= apaga=deletes remove=deletes mantém=keeps guarda=stores ' +
  'mantidos=kept síncrono=sync assíncrono=async público=public privado=private usa=uses utiliza=uses escuta=listens porta=port onde= este= esta= esse= qual= seu= sua= que= se= diário=daily semanal=weekly ambiente=environment dois=two três=three quatro=four cinco=five seis=six sete=seven oito=eight nove=nine dez=ten';

const ITALIAN =
  'il= lo= la= i= gli= le= l= un= uno= una= di=of del=of della=of dei=of delle=of dello=of degli=of è=is sono=are era=was viene=is vengono=are stato=was stata=was ha=has hanno=has e=and o=or in=in nel=in nella=in ' +
  'nei=in nelle=in su=on sul=on sulla=on con=with da=by dal=by dalla=by per=for a=to al=to alla=to prima=before dopo=after non=not mai=never nessun=no nessuna=no nessuno=no niente=nothing nulla=nothing senza=without ' +
  'solo=only soltanto=only solamente=only tutti=all tutte=all tutto=all ogni=each alcuni=some alcune=some deve=must devono=must può=can possono=can attivo=enabled attiva=enabled attivato=enabled attivata=enabled ' +
  'abilitato=enabled abilitata=enabled disattivo=disabled disattivato=disabled disattivata=disabled disabilitato=disabled disabilitata=disabled acceso=enabled accesa=enabled accesi=enabled spento=disabled spenta=disabled spenti=disabled sempre=always ' +
  'permesso=allowed consentito=allowed vietato=forbidden proibito=forbidden facoltativo=optional opzionale=optional obbligatorio=required obbligatoria=required richiede=requires fallisce=fails falliscono=fails fallito=failed ' +
  'passa=passes passano=passes passato=passed riuscito=passed produzione=production collaudo=staging sviluppo=development prova=testing giorno=days giorni=days settimana=weeks settimane=weeks ora=hours ore=hours notte=nights secondi=seconds secondo=seconds ' +
  'minuto=minutes minuti=minutes mese=months mesi=months anno=years anni=years cancellati=deleted cancella=deletes elimina=deletes eliminati=deleted conservati=kept conserva=keeps mantiene=keeps cifrato=encrypted cifrati=encrypted cifrata=encrypted ' +
  'pubblico=public privato=private usa=uses utilizza=uses ascolta=listens porta=port almeno=at_least massimo=at_most predefinito=by_default si= che= suo= sua= anche=also quando=when scritto=written due=two tre=three quattro=four cinque=five sei=six sette=seven otto=eight nove=nine dieci=ten';

const DUTCH =
  'de= het= een= van=of is=is zijn=are was=was waren=were wordt=is worden=are werd=was werden=were heeft=has hebben=has en=and of=or in=in op=on met=with door=by voor=for naar=to tot=until uit=from bij=at na=after vóór=before sinds=since niet=not ' +
  'geen=no nooit=never niemand=nobody niets=nothing zonder=without meer=more alleen=only enkel=only uitsluitend=only alle=all elke=each elk=each iedere=each ieder=each iedereen=everyone sommige=some altijd=always moet=must moeten=must mag=may mogen=may ' +
  'kan=can kunnen=can ingeschakeld=enabled uitgeschakeld=disabled aan=enabled uitgezet=disabled aangezet=enabled toegestaan=allowed verboden=forbidden optioneel=optional verplicht=required vereist=requires nodig=required faalt=fails mislukt=fails mislukte=failed slaagt=passes geslaagd=passed ' +
  'productie=production productieomgeving=production testomgeving=testing ontwikkeling=development ontwikkelomgeving=development acceptatie=staging standaard=by_default dag=days dagen=days week=weeks weken=weeks uur=hours uren=hours nacht=nights nachts=nightly seconde=seconds seconden=seconds ' +
  'minuut=minutes minuten=minutes maand=months maanden=months jaar=years dagelijks=daily wekelijks=weekly maandelijks=monthly verwijderd=deleted verwijdert=deletes bewaard=kept bewaart=keeps opgeslagen=stored versleuteld=encrypted onversleuteld=unencrypted ' +
  'openbaar=public privé=private gebruikt=uses gebruiken=use luistert=listens poort=port draait=runs draaien=run minstens=at_least minimaal=at_least maximaal=at_most hoogstens=at_most die= dat= deze= dit= er= zich= hun= ook=also als=when geschreven=written automatisch=automatic handmatig=manual ' +
  'twee=two drie=three vier=four vijf=five zes=six zeven=seven acht=eight negen=nine tien=ten';

const POLISH =
  'jest=is są=are był=was była=was było=was były=was zostaje=is ma=has mają=has i=and lub=or w=in we=in na=on z=with ze=with przez=by dla=for do=to od=since po=after przed=before nie=not nigdy=never żaden=no żadna=no żadne=no nikt=nobody nic=nothing bez=without ' +
  'tylko=only wyłącznie=only wszystkie=all wszyscy=all każdy=each każda=each każde=each każdego=each niektóre=some zawsze=always musi=must muszą=must może=can mogą=can wolno=may włączony=enabled włączona=enabled włączone=enabled wyłączony=disabled wyłączona=disabled wyłączone=disabled ' +
  'dozwolony=allowed dozwolone=allowed zabronione=forbidden zabroniony=forbidden opcjonalny=optional opcjonalne=optional wymagany=required wymagana=required wymagane=required wymaga=requires przechodzi=passes przechodzą=passes przeszły=passed zawodzi=fails ' +
  'produkcja=production produkcji=production testowym=testing testowe=testing domyślnie=by_default dzień=days dni=days tydzień=weeks tygodnie=weeks tygodni=weeks godzina=hours godzinę=hours godziny=hours godzin=hours pół=half sekund=seconds sekundy=seconds minut=minutes minuty=minutes ' +
  'miesiąc=months miesiące=months rok=years lat=years codziennie=daily usuwa=deletes usuwane=deleted usunięte=deleted przechowywane=kept zapisywane=stored szyfrowane=encrypted nieszyfrowane=unencrypted publiczny=public prywatny=private używa=uses nasłuchuje=listens porcie=port portu=port ' +
  'co=each noc=nights trwa=takes trwają=takes zajmuje=takes zajmują=takes się= ten= ta= to= te= że= jego= ich= też=also dwa=two dwie=two trzy=three cztery=four pięć=five sześć=six siedem=seven osiem=eight dziewięć=nine dziesięć=ten';

const SWEDISH =
  'den= det= ett= är=is var=was blir=is blev=was har=has hade=had och=and eller=or i=in på=on med=with av=by för=for till=to från=from vid=at efter=after före=before sedan=since inte=not ej=not aldrig=never ingen=no inget=no inga=no utan=without bara=only endast=only enbart=only ' +
  'alla=all varje=each några=some vissa=some alltid=always måste=must ska=must får=may kan=can aktiverad=enabled aktiverat=enabled avaktiverad=disabled inaktiverad=disabled inaktiverat=disabled påslagen=enabled avstängd=disabled avstängt=disabled tillåtet=allowed förbjudet=forbidden ' +
  'valfritt=optional obligatorisk=required obligatoriskt=required kräver=requires krävs=required misslyckas=fails misslyckades=failed lyckas=passes lyckades=passed produktion=production testmiljön=testing utveckling=development dag=days dagar=days dygn=days vecka=weeks veckor=weeks ' +
  'timme=hours timmar=hours natt=nights sekunder=seconds minuter=minutes månad=months månader=months år=years raderas=deleted tas=taken sparas=kept behålls=kept lagras=stored krypterad=encrypted krypterade=encrypted använder=uses lyssnar=listens minst=at_least högst=at_most som= sig= dess= också=also när=when ' +
  'två=two tre=three fyra=four fem=five sex=six sju=seven åtta=eight nio=nine tio=ten';

const JAPANESE =
  '有効=enabled 無効=disabled ありません=not ません=not されない=not しない=not ない=not せず=not なし=without 不要=optional 必要=required 必須=required 任意=optional 禁止=forbidden 許可=allowed 成功=passed 失敗=failed ' +
  '本番環境=production 本番=production 開発環境=development 開発=development 検証環境=staging ステージング=staging テスト環境=testing 既定=default デフォルト=default 初期値=default 毎日=daily 毎週=weekly 毎時=hourly ' +
  'ごと=each すべて=all 全て=all 一部=some のみ=only だけ=only 以上=at_least 以下=at_most 最大=at_most 最小=at_least 秒=seconds 分=minutes 時間=hours 日間=days 日=days 週間=weeks ヶ月=months か月=months 年=years 削除=deleted 保持=kept 保存=stored 保管=stored ' +
  '同期=sync 非同期=async 公開=public 非公開=private 静的=static 動的=dynamic 手動=manual 自動=automatic 並列=parallel 直列=sequential 使用=uses 利用=uses 実行=runs 行=runs オン=enabled オフ=disabled 前=before 後=after 毎=each 暗号化=encrypted';

const CHINESE =
  '启用=enabled 开启=enabled 打开=enabled 禁用=disabled 关闭=disabled 停用=disabled 未=not 没有=no 不再=no_longer 不能=not_can 不会=not 不是=not 不=not 从不=never 无=no 无需=optional 必须=must 必需=required 需要=required 不得=must_not 可以=may 可选=optional 允许=allowed 禁止=forbidden ' +
  '成功=passed 通过=passed 失败=failed 生产环境=production 生产=production 测试环境=testing 开发环境=development 预发环境=staging 预发布环境=staging 默认=by_default 每天=daily 每周=weekly 每小时=hourly 每晚=nightly 所有=all 全部=all 每个=each 部分=some 只=only 仅=only 至少=at_least 最多=at_most ' +
  '毫秒=ms 秒=seconds 分钟=minutes 小时=hours 天=days 周=weeks 个月=months 年=years 删除=deleted 保留=kept 保存=stored 存储=stored 同步=sync 异步=async 公开=public 私有=private 静态=static 动态=dynamic 手动=manual 自动=automatic 并行=parallel 串行=sequential 使用=uses 运行=runs 的= 是=is 在=in 为=is 由=by 了= 端口=port 监听=listens 之前=before 之后=after 加密=encrypted 未加密=unencrypted';

const KOREAN =
  '활성화=enabled 비활성화=disabled 켜져=enabled 꺼져=disabled 않습니다=not 않는다=not 않고=not 아닙니다=not 없습니다=no 없이=without 필수=required 선택=optional 금지=forbidden 허용=allowed 성공=passed 실패=failed ' +
  '운영=production 프로덕션=production 개발=development 스테이징=staging 테스트환경=testing 기본값=default 기본적=by_default 매일=daily 매주=weekly 매시간=hourly 모든=all 일부=some 만= 최소=at_least 최대=at_most 밀리초=ms 초=seconds 분=minutes 시간=hours 일=days 주=weeks 개월=months 년=years ' +
  '삭제=deleted 보관=stored 보존=kept 유지=kept 저장=stored 비동기=async 동기=sync 공개=public 비공개=private 정적=static 동적=dynamic 수동=manual 자동=automatic 병렬=parallel 순차=sequential 사용=uses 실행=runs 포트=port 환경=environment 동안= 기간= 됩니다= 되지= 합니다= 하지= 입니다= 된다= 한다= 되어= 하고=';

type Table = ReadonlyMap<string, readonly string[]>;

function tableOf(text: string): Table {
  return new Map(
    text.split(' ').map((entry) => {
      const [word = '', meaning = ''] = entry.split('=');
      return [word, meaning === '' ? [] : meaning.split('_')] as const;
    }),
  );
}

/** Words of languages that have their own script: what they mean can be told without knowing the language. */
export const FOREIGN: Table = new Map(
  [JAPANESE, CHINESE, KOREAN].flatMap((text) => [...tableOf(text)]),
);

const LATIN: readonly Table[] = [
  GERMAN,
  FRENCH,
  SPANISH,
  PORTUGUESE,
  ITALIAN,
  DUTCH,
  POLISH,
  SWEDISH,
].map(tableOf);
/** Words of English grammar, which decide against the other languages. */
const ENGLISH = new Set(
  'the is are was of and to for with it its by from on at that this has have not be an in no a as do so or also'.split(
    ' ',
  ),
);
const WORDS_MIN = 2;
/** As much of a text as has to be in a table. */
const SHARE_MIN = 0.4;

/** The table of the language that a text in Latin letters is in; undefined for English, or where too little tells. */
export function tableFor(words: readonly string[]): Table | undefined {
  const english = words.filter((word) => ENGLISH.has(word)).length;
  let best: Table | undefined;
  let most = Math.max(english, WORDS_MIN - 1, SHARE_MIN * words.length - 1);
  for (const table of LATIN) {
    // A word that is the same in English tells nothing.
    const known = words.filter(
      (word) => !ENGLISH.has(word) && table.has(word) && table.get(word)?.[0] !== word,
    );
    if (known.length > most) [best, most] = [table, known.length];
  }
  return best;
}
