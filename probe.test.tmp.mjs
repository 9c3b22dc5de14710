import { build } from 'esbuild';
await build({bundle:true,platform:'node',format:'esm',outfile:'/tmp/g.mjs',stdin:{loader:'ts',resolveDir:process.cwd(),contents:"export {matchesGlob} from './src/capture/redact/glob.ts'; export {globToRegExp} from './src/base/glob.ts'; export {isDeniedPath} from './src/capture/redact/path.ts'"}});
const {matchesGlob,globToRegExp,isDeniedPath}=await import('/tmp/g.mjs');
console.log(matchesGlob('**/x','ax'), matchesGlob('/a/**/x','/a/bx'), isDeniedPath('/srv/app/myprivate.txt',{deniedPaths:['private.txt']}));
for (const k of [4,5,6,7]) {const t=performance.now(); globToRegExp('*a'.repeat(k)+'b').test('a'.repeat(100)); console.log(k,performance.now()-t|0);}
