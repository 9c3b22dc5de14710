import { isBoundary } from './chars.ts';
import { type Anchor, type Scan, TAIL_MAX, tailEnd } from './scan.ts';
import { isMask, looksRandom } from './shape.ts';
import { RANK } from './span.ts';

/**
 * Credentials that name their maker: rule, literal beginnings (parted by spaces), and what follows. `a20` is 20
 * or more letters and digits, `w` also `_` and `-`, `d` also dots between them, `h` small hexadecimal, `u`
 * capitals and digits; anything else is a pattern, which reads up to `TAIL_MAX` characters of its last part. Public
 * keys (`pk_live_`, `phc_`) are not in the table.
 * Sources: the makers' own pages on token formats, and the formats that public secret scanners describe.
 */
const PROVIDERS: readonly (readonly [rule: string, starts: string, tail: string])[] = [
  ['aws', 'AKIA ASIA ABIA ACCA', '[A-Z0-9]{16}(?![A-Za-z0-9])'],
  ['aws', 'ABSK', '[A-Za-z0-9+/]{80,512}={0,2}'],
  ['github', 'ghp_ gho_ ghu_ ghr_', 'a20'],
  ['github', 'ghs_', 'd20'],
  ['github', 'github_pat_', 'w20'],
  [
    'gitlab',
    'glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- glimt- gloas- glffct- glwt-',
    'd16',
  ],
  ['gitlab', 'GR1348941', 'w20'],
  ['bitbucket', 'ATBB', 'a24'],
  ['atlassian', 'ATATT3 ATCTT3 ATSTT3', '[A-Za-z0-9_=-]{40,512}'],
  [
    'slack',
    'xoxa- xoxb- xoxp- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe- xoxe.',
    '[A-Za-z0-9%.-]{9,512}[A-Za-z0-9%]',
  ],
  ['slack', 'xapp-', '[0-9]-[A-Za-z0-9-]{20,512}'],
  ['stripe', 'sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_', 'a10'],
  ['webhook-secret', 'whsec_', '[A-Za-z0-9+/]{24,512}={0,2}'],
  ['anthropic', 'sk-ant-', 'w20'],
  ['openai', 'sk-proj- sk-svcacct- sk-admin- sk-None-', 'w20'],
  ['openrouter', 'sk-or-v1-', 'h32'],
  ['langfuse', 'sk-lf-', '[0-9a-f-]{36}'],
  ['openai', 'sk-', '(?=[A-Za-z-]{0,40}[0-9])(?:[A-Za-z0-9]{1,12}-)?[A-Za-z0-9]{20,512}'],
  ['elevenlabs', 'sk_', 'h40'],
  ['google', 'AIza', 'w30'],
  ['google', 'ya29.', 'd20'],
  ['google', 'GOCSPX-', 'w20'],
  ['google', '1//0', 'w40'],
  ['google', 'AQ.Ab', 'w30'],
  ['npm', 'npm_', 'a30'],
  ['pypi', 'pypi-A', 'w40'],
  ['rubygems', 'rubygems_', 'h40'],
  ['crates', 'cio', '(?=[A-Za-z]*[0-9])[A-Za-z0-9]{32}(?![A-Za-z0-9])'],
  ['nuget', 'oy2', '[a-z0-9]{43}(?![A-Za-z0-9])'],
  ['clojars', 'CLOJARS_', 'a50'],
  ['sendgrid', 'SG.', '[\\w-]{16,64}\\.[\\w-]{16,512}'],
  ['brevo', 'xkeysib- xsmtpsib-', 'w40'],
  ['mailgun', 'key-', '(?<![\\w-]key-)[0-9a-f]{32}(?![A-Za-z0-9])'],
  ['resend', 're_', '[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,512}'],
  ['shopify', 'shpat_ shpca_ shppa_ shpss_ shptka_', '[0-9a-fA-F]{32,512}'],
  ['square', 'sq0atp- sq0csp- sq0idp-', 'w20'],
  ['paypal', 'access_token$', '(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}'],
  ['flutterwave', 'FLWSECK', '(?:_TEST)?-[0-9a-zA-Z]{12,512}(?:-X)?'],
  ['plaid', 'access-', '(?:sandbox|development|production)-[0-9a-f-]{36}'],
  ['shippo', 'shippo_live_ shippo_test_', 'h32'],
  ['duffel', 'duffel_live_ duffel_test_', 'w30'],
  ['easypost', 'EZAK EZTK', 'a40'],
  ['digitalocean', 'dop_v1_ doo_v1_ dor_v1_', 'h40'],
  ['heroku', 'HRKU-', 'w30'],
  ['databricks', 'dapi', '[0-9a-f]{32}(?:-\\d)?(?![A-Za-z0-9])'],
  ['vault', 'hvs. hvb. hvr.', 'd20'],
  ['doppler', 'dp.', '(?:pt|st|ct|sa|scim|audit)\\.(?:[\\w-]{2,40}\\.)?[A-Za-z0-9]{36,512}'],
  ['cloudflare', 'v1.0-', '[0-9a-f]{24}-[0-9a-f]{100,512}'],
  ['cloudflare', 'cfut_ cfat_ cfk_', 'a40'],
  ['fly', 'fm1_ fm1r_ fm1a_ fm2_', '[A-Za-z0-9+/_-]{40,512}={0,3}'],
  ['fly', 'fo1_', 'w40'],
  ['vercel', 'vcp_ vci_ vca_ vcr_ vck_', 'a24'],
  ['vercel', 'vercel_blob_rw_', 'w20'],
  ['supabase', 'sbp_ sbp_v0_', 'h40'],
  ['supabase', 'sb_secret_', 'w20'],
  ['planetscale', 'pscale_tkn_ pscale_pw_ pscale_oauth_', '[\\w.=-]{32,512}'],
  ['neon', 'napi_', 'a40'],
  ['linear', 'lin_api_ lin_oauth_ lin_wh_', 'a32'],
  ['notion', 'secret_', '[A-Za-z0-9]{43}(?![A-Za-z0-9])'],
  ['notion', 'ntn_', 'a40'],
  ['airtable', 'pat', '[A-Za-z0-9]{14}\\.[0-9a-f]{64}'],
  ['figma', 'figd_ figo_ figu_', 'w30'],
  ['huggingface', 'hf_ api_org_', '[A-Za-z0-9]{30,512}'],
  ['replicate', 'r8_', 'a32'],
  ['groq', 'gsk_', 'a40'],
  ['xai', 'xai-', 'a40'],
  ['perplexity', 'pplx-', 'a40'],
  ['tavily', 'tvly-', 'w20'],
  ['together', 'tgp_v1_', 'w30'],
  ['fireworks', 'fw_', '(?=[A-Za-z]*[0-9])[A-Za-z0-9]{24,512}'],
  ['pinecone', 'pcsk_', 'w40'],
  ['langsmith', 'lsv2_pt_ lsv2_sk_', '[0-9a-f]{32}_[0-9a-f]{10}'],
  ['wandb', 'wandb_v1_', 'w40'],
  ['sentry', 'sntrys_ sntryu_', '[A-Za-z0-9+/=_]{40,512}'],
  ['newrelic', 'NRAK- NRII- NRRA- NRAA- NRSP-', 'w20'],
  ['newrelic', 'NRJS-', 'h16'],
  ['grafana', 'glsa_', '[A-Za-z0-9]{32}_[0-9a-fA-F]{8}'],
  ['grafana', 'glc_eyJ', '[A-Za-z0-9+/]{20,512}={0,2}'],
  ['posthog', 'phx_', 'a32'],
  ['dynatrace', 'dt0c01. dt0s01. dt0s02.', '[A-Z0-9]{8,24}\\.[A-Z0-9]{64}'],
  ['sonarqube', 'sqp_ squ_ sqa_', 'h40'],
  ['sourcegraph', 'sgp_', '[0-9A-Za-z_]{40,512}'],
  ['launchdarkly', 'sdk-', '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}'],
  ['hubspot', 'pat-', '(?:na|eu|ap)\\d-[0-9a-f-]{36}'],
  ['postman', 'PMAK-', '[0-9a-f]{24}-[0-9a-f]{34}'],
  ['pulumi', 'pul-', 'h40'],
  ['prefect', 'pnu_ pnb_', 'a36'],
  ['buildkite', 'bkua_', 'h40'],
  ['circleci', 'CCIPAT_ CCIPRJ_', 'w40'],
  ['docker', 'dckr_pat_ dckr_oat_', 'w20'],
  ['tailscale', 'tskey-', '(?:auth|api|client|scim|webhook)-[A-Za-z0-9-]{16,512}'],
  ['onepassword', 'ops_eyJ', '[A-Za-z0-9+/_-]{40,512}={0,2}'],
  [
    'private-key',
    'LS0tLS1CRUdJTiBSU0Eg LS0tLS1CRUdJTiBQUklW LS0tLS1CRUdJTiBFQyBQ LS0tLS1CRUdJTiBPUEVO',
    '[A-Za-z0-9+/]{20,512}={0,2}',
  ],
  ['age', 'AGE-SECRET-KEY-1', 'u40'],
  ['openshift', 'sha256~', 'w40'],
  ['render', 'rnd_', 'a28'],
  ['readme', 'rdme_', 'a60'],
  ['typeform', 'tfp_', '[\\w.=-]{40,512}'],
  ['contentful', 'CFPAT-', 'w40'],
  ['dropbox', 'sl.', '(?:u\\.)?[\\w-]{100,512}'],
  ['facebook', 'EAA', '(?<![/+]EAA)(?=[A-Za-z]*[0-9])[A-Za-z0-9]{80,512}'],
  ['square', 'EAAA', '[\\w-]{60}(?![\\w-])'],
  ['jfrog', 'AKCp', 'a60'],
  ['alibaba', 'LTAI', '[A-Za-z0-9]{17,24}(?![A-Za-z0-9])'],
  ['tencent', 'AKID', '[A-Za-z0-9]{32}(?![A-Za-z0-9])'],
  ['yandex', 'AQVN', 'w35'],
  ['adafruit', 'aio_', 'a28'],
  ['wakatime', 'waka_', '[0-9a-f-]{36}'],
  ['mapbox', 'sk.eyJ', '[\\w-]{20,512}\\.[\\w-]{16,512}'],
  ['infracost', 'ico-', 'a32'],
  ['harness', 'pat.', '[\\w-]{22}\\.[0-9a-f]{24}\\.[A-Za-z0-9]{20}'],
  ['octopus', 'API-', '(?=[A-Z]{0,20}[0-9])[A-Z0-9]{26,40}(?![A-Za-z0-9])'],
  ['braintrust', 'sk-bt-', 'w20'],
];

const CLASS: Readonly<Record<string, string>> = {
  a: '[A-Za-z0-9]',
  w: '[\\w-]',
  // Dots are part of a key only between other characters: the full stop after it is not.
  d: '(?:[\\w-]|\\.(?=[\\w-]))',
  h: '[0-9a-f]',
  u: '[A-Z0-9]',
};

function compile(tail: string): RegExp {
  const short = /^([a-z])(\d+)$/.exec(tail);
  if (!short) return new RegExp(tail, 'y');
  const [, kind = '', min = ''] = short;
  return new RegExp(`${CLASS[kind]}{${min},${TAIL_MAX}}`, 'y');
}

/** Masks (`sk-xxxxxxxx`) and names composed of words (`sk-loading-indicator`) look like a key by their beginning only. */
function isComposed(tail: string): boolean {
  if (isMask(tail)) return true;
  const digits = tail.replace(/\D/g, '').length;
  return digits < 5 && /(?:^|[-_.])[A-Za-z]?[a-z]{2,}(?:[-_.]|$)/.test(tail) && !looksRandom(tail);
}

function anchorOf(literal: string, rule: string, pattern: () => RegExp): Anchor {
  const probe = (scan: Scan, at: number) => {
    const { text } = scan;
    if (!isBoundary(text, at)) return;
    const regex = pattern();
    regex.lastIndex = at + literal.length;
    const tail = regex.exec(text)?.[0];
    if (tail === undefined || isComposed(tail.slice(0, 64))) return;
    const read = at + literal.length + tail.length;
    const end = tail.length < TAIL_MAX ? read : tailEnd(scan, read);
    scan.spans.push({ start: at, end, rule, rank: RANK.provider });
    if (rule === 'aws') probeAwsPair(scan, end);
  };
  return { literal, exact: true, probe };
}

/** The secret half of an AWS key pair, close to its id, as consoles and CSV files print it. */
function probeAwsPair(scan: Scan, from: number): void {
  const near = scan.text.slice(from, from + 200);
  const pattern = /(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/g;
  for (const { 0: value, index } of near.matchAll(pattern)) {
    if (!/\d/.test(value) || !looksRandom(value) || /^[\da-f]+$/i.test(value)) continue;
    const start = from + index;
    scan.spans.push({ start, end: start + value.length, rule: 'aws', rank: RANK.provider });
  }
}

/** The anchors of all makers' prefixes; patterns are compiled when their prefix is first met. */
export function providerAnchors(): Anchor[] {
  return PROVIDERS.flatMap(([rule, starts, tail]) => {
    let regex: RegExp | undefined;
    const pattern = () => {
      regex ??= compile(tail);
      return regex;
    };
    return starts.split(' ').map((start) => anchorOf(start, rule, pattern));
  });
}
