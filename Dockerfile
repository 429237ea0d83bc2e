# One image with three programs, `operator`, `webhooks` and `bailiwick-agent`; the chart names the one to run.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The package `node` brings the Node of checkouts, and the image has its own; without scripts it downloads none. The secret `npmrc` is for
# builds that reach their package registry another way.
RUN --mount=type=secret,id=npmrc \
    NPM_CONFIG_USERCONFIG=/run/secrets/npmrc npm install --cache ./npm-cache \
      --omit=dev --ignore-scripts --no-save --no-audit --no-fund --loglevel=error \
    && rm -rf node_modules/node node_modules/node-bin-* node_modules/.bin/node npm-cache
# Declarations, source maps and sources that Node never reads are more than half of what packages bring.
RUN find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' -o -name '*.md' \) -delete \
    && find node_modules -depth -type d \( -name test -o -name tests -o -name docs -o -name examples \) -path '*/node_modules/*/*' -exec rm -rf {} + \
    && find node_modules -depth -type d -empty -delete

FROM ${NODE_IMAGE} AS program
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY core core
COPY kinds kinds
COPY platform platform
COPY admission admission
COPY operator operator
COPY webhooks webhooks
COPY agent agent
COPY tools/run-command.ts tools/
COPY tools/image tools/image
RUN node tools/image/write-launchers.ts bin operator webhooks bailiwick-agent=agent && mkdir cache && chown 65532:65532 cache
# Compiled code is kept by Node's version, flags and user id, so it is made the way in which it is run; from then on it is only read.
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/cache PATH=/app/bin:$PATH HOME=/tmp
USER 65532:65532
RUN operator --help > /dev/null && webhooks --help > /dev/null \
    && node tools/image/warm-compile-cache.ts operator operator/start-on-host.ts kinds/workloads/parse-protobuf.ts \
      kinds/admissionregistration/validating-admission-policy/check-kind.ts \
    && node tools/image/warm-compile-cache.ts webhooks admission/policy/local-evaluator.ts \
      kinds/admissionregistration/validating-admission-policy/compiling-checker.ts \
    && node platform/certificates/x509-program.ts < /dev/null
# The agent is root on its node.
USER 0:0
RUN bailiwick-agent --help > /dev/null \
    && node tools/image/warm-compile-cache.ts agent agent/start-agent.ts agent/config/decode-configuration.ts \
      agent/cri/cri-connection.ts agent/program/open-api.ts agent/presence/start-presence.ts \
    && node platform/certificates/x509-program.ts < /dev/null
RUN chown -R 0:0 cache && chmod -R a+rX,a-w cache && rm -r node_modules tools

FROM ${NODE_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Bailiwick" \
      org.opencontainers.image.description="Policy, quota, networking and admission for Kubernetes-style APIs" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="docker.io/library/node:24-bookworm-slim"
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=program /app ./
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/cache PATH=/app/bin:$PATH HOME=/tmp
USER 65532:65532
ENTRYPOINT []
CMD ["operator", "--help"]
