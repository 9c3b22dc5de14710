import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exitIsOfTests, isTestRun } from './command.ts';

const lines = (text: string) => text.split('\n').filter((line) => line !== '');

const RUNS = lines(`
npm test
npm t
npm run test
npm run test:unit
npm run --silent test
npm run tests
npm run unit-test
npm run testUnit
npm run e2e
npm run jest
npm --prefix web test
npm --prefix=web run test
npm -w web test
npm test --workspace=web
npm it
pnpm test:e2e
pnpm -r test
pnpm -w test
pnpm --filter web test
pnpm -C web run test:ci
pnpm recursive run test
pnpm exec vitest run
yarn test:ci
yarn jest src
yarn workspace x test
yarn workspaces foreach -A run test
bun test
bun run test
corepack pnpm test
npx vitest run src
npx --yes jest
npx -p jest jest
npx -- playwright test
bunx vitest
npm exec -- vitest
./node_modules/.bin/vitest
./node_modules/.bin/vitest run
node_modules/.bin/playwright test e2e
node --test
node --import tsx --test src
node --experimental-vm-modules node_modules/jest/bin/jest.js
node node_modules/.bin/mocha
pytest -q
/usr/bin/pytest
.venv/bin/python -m pytest -q
python3.11 -m unittest discover
python manage.py test
py -m pytest
coverage run -m pytest
python -m coverage run -m pytest
uv run pytest
uv run --with hypothesis pytest
uv run -m pytest
poetry run python -m pytest
uvx --from pytest pytest
hatch run test
tox
go test ./...
go -C pkg test ./...
gotestsum ./...
cargo test -p x
cargo +nightly test
cargo t
cargo nextest run
dotnet test
mix test
swift test
deno test
flutter test
zig build test
xcodebuild -scheme App test
bundle exec rspec
bundle exec rake test
bin/rails test:system
vendor/bin/phpunit
composer run test
ctest --output-on-failure
make test
make -C web test
make -j 4 build test
make V=1 test-unit
just test
mise run test:ci
mise exec -- go test ./...
task test
bazel test //...
gradle check test
./gradlew :app:testDebugUnitTest
./gradlew integrationTest
mvn -q -pl core test
./mvnw test
turbo run test
nx test app
nx run app:test
nx affected --target=test
CI=1 npm test
A1=1 npm test
FOO="a b" npm test
env -u CI npm test
env CI=1 npm test
time go test ./x
timeout 60 go test ./x
timeout -k 5 60s npm test
sudo -u web npm test
exec npm test
xvfb-run -a npm test
nohup npm test &
cd pkg && go test ./...
cd pkg; go test ./...
(cd web && npm test)
{ npm test; }
if npm test; then echo ok; fi
for i in 1 2; do npm test; done
! npm test
true || npm test
npm test 2>&1 | tail -5
npm test > log
echo "$(npm test)"
out=$(npm test)
mise run fmt && mise run lint && mise run test:ci
sh -c "npm test"
bash -lc 'cd web && npm test'
timeout 60 bash -c "bash -c 'npm test'"
`);

const RUNS_IN_LINES = [
  'cd web\nnpm test',
  'set -e\nnpx vitest run',
  '# all of them\nnpm test',
  'npm \\\n  test',
  "cat > a.txt <<'EOF'\nhello\nEOF\nnpm test",
  "bash -c '\nset -e\nnpm test\n'",
];

const NONE = lines(`
git commit -m "fix test"
git commit -m "fix; npm test fails"
git commit -m 'npm test && pytest'
git log --grep "npm test"
grep -rn "(pytest|jest)" .
grep -r "go test" .
grep -rn 'a|pytest' .
rg pytest
echo npm test
echo "run: npm test; pytest"
printf '%s; npm test' x
ls test
ls tests
cat go.test
cat src/test-run.ts
cd test
mkdir -p tests/unit
rm -rf test
vim testing.go
test -d node_modules
[ -f x ] && echo test
which pytest
man pytest
make latest
make contest
make lint-tests
make build-test
make -C test build
make -f test.mk build
just attest
just fmt tests/a.rs
mise run lint
mise install
task build
./gradlew build -x test
./gradlew compileTestJava
mvn -pl test-utils package
nx lint test-app
npm install
npm install jest
npm i -D vitest
npm run build
npm run lint:tests
npm run typecheck-tests
npm run latest
npm run test-report
npm ls vitest
npm why jest
npm create test-app
npm publish
npm --prefix test run build
npm run build -- test
pnpm add -D vitest
pnpm -C test install
pnpm --filter test build
yarn add jest
yarn workspace test build
npx tsc --noEmit
npx playwright install
npx vitest --version
npx vitest list
npx jest --listTests
pip install pytest
uv add pytest
uv pip install pytest
poetry add pytest
pytest --version
pytest --collect-only
python test.py
python -c "import pytest"
python -m pip install pytest
python manage.py migrate
node test.js
node script.js --test
go vet ./...
go build ./...
go run ./cmd/test
cargo build --tests
cargo test --no-run
cargo nextest list
dotnet build Test.csproj
bazel build //foo:test
rails db:test:prepare
docker build -t test .
apt-get install ctest
: npm test
# npm test
FOO="npm test"
FOO='; npm test' ls
echo ok # ; npm test
curl -d 'x; npm test' localhost
sh -c "echo npm test"
sh test
bash -x npm test
`);

const NONE_IN_LINES = [
  'git commit -m "$(cat <<\'EOF\'\nfix: mend it\n\nnpm test\nEOF\n)"',
  'cat > README.md <<EOF\nnpm test\nEOF',
  'cat <<-EOF > a\n\tpytest\n\tEOF\nls',
  'git commit -m "one\nnpm test\ntwo"',
  'echo \\\n npm test',
];

describe('a command line that runs tests', () => {
  test.each([...RUNS, ...RUNS_IN_LINES])('%j', (command) => {
    expect(isTestRun(command)).toBe(true);
  });

  test.each([...NONE, ...NONE_IN_LINES])('none: %j', (command) => {
    expect(isTestRun(command)).toBe(false);
  });

  const word = fc.constantFrom(
    ...'npm run test node --test python -m coverage env timeout 5 sh -c exec -- bash pnpm'.split(
      ' ',
    ),
    ...['"', "'", '$(', '`', '(', ')', ';', '&&', '|', '\n', '\\', '<<E', 'E', '#', '{', ' '],
  );

  test('or does not, of whatever words there are', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (words) => {
        const text = words.join(' ');
        // Whose exit code it is can only be known of what runs tests.
        expect(exitIsOfTests(text) && !isTestRun(text)).toBe(false);
      }),
    );
  });

  test.each(
    [
      'env ',
      'sh -c ',
      'npm exec ',
      'node ',
      'yarn workspace x ',
      'X=1 ',
      'npm test ',
      'make aA',
    ].flatMap((part) => [part, `${part}"`, `${part}$(`, `${part};`, `${part}<<E\n`, `${part}&&`]),
  )('a long one ends within the time of a test: %j', (part) => {
    const long = part.repeat((256 * 1024) / part.length);
    isTestRun(long);
    exitIsOfTests(long);
  });
});
