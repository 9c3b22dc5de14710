/** Names of one kind, of which a thing has or uses one: one set a line. */
export const SISTERS = `
client server
frontend backend
npm pnpm yarn bun deno
pip poetry uv conda pipenv
webpack vite rollup esbuild parcel turbopack
jest vitest mocha ava jasmine
cypress playwright selenium puppeteer testcafe webdriverio
espresso appium maestro xcuitest detox
jmeter gatling locust k6 artillery
junit testng spock
pytest unittest nose
rspec minitest
eslint biome tslint oxlint standardjs
checkstyle spotbugs pmd
rubocop standardrb
prettier dprint
mypy pyright pyre
black ruff flake8 pylint yapf
gradle maven bazel buck ant
make just task mise
docker podman containerd
helm kustomize
terraform pulumi cloudformation opentofu bicep
ansible puppet chef saltstack
vault sops
packer vagrant
jenkins buildkite circleci travis teamcity bamboo gitlab github
mysql postgres sqlite mariadb oracle mongodb cassandra
redis memcached valkey hazelcast caffeine
snowflake bigquery redshift databricks clickhouse
elasticsearch opensearch solr meilisearch typesense
airflow dagster prefect luigi
kafka rabbitmq nats pulsar sqs activemq kinesis
mqtt amqp coap stomp
celery sidekiq rq resque
i2c spi uart can modbus
zigbee bluetooth lora wifi zwave
nginx caddy envoy traefik haproxy apache
flyway liquibase alembic sqitch atlas
hibernate jooq mybatis
express fastify koa hapi
flask django fastapi
rest grpc graphql soap
json yaml toml xml csv protobuf avro parquet msgpack cbor ini
gzip zstd brotli lz4 snappy
png jpeg webp avif gif svg
markdown asciidoc restructuredtext
rsa ecdsa ed25519 hmac
bcrypt scrypt argon2 pbkdf2
oauth saml ldap kerberos
linux windows macos darwin freebsd openbsd
ubuntu debian fedora alpine centos rhel
gcc clang msvc
cmake meson autotools ninja
bash zsh fish powershell
chrome firefox safari edge
react vue svelte angular preact solid
rust go java kotlin python ruby typescript javascript scala swift c perl php elixir erlang haskell zig dart julia lua ocaml clojure groovy fortran cobol nim
aws gcp azure
prometheus datadog newrelic zabbix nagios
sentry bugsnag rollbar
loki splunk graylog
jaeger zipkin
launchdarkly unleash flagsmith
jira trello asana
slack mattermost discord
log4j logback slog logrus zap zerolog pino winston
monday tuesday wednesday thursday friday saturday sunday
red green blue yellow black white orange purple
english german french spanish portuguese italian japanese korean chinese
md5 sha1 sha256 sha512 blake3
http https
tcp udp
info debug warn error trace
squash rebase merge
`;
