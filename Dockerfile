# The image of one release. `make image` prepares the folder that it is built in:
#   base.tar     Debian with Python, Git and ssh
#   build.tar    the same with a C compiler, for the first stage alone
#   wheels/      the packages of runtime.lock, and those that compile and install the program
#   source/      the commit
# Nothing is downloaded here: a build without network is the same.

FROM scratch AS build
ADD build.tar /
COPY wheels/ /wheels/
COPY runtime.lock /wheels/
RUN python3 -m venv /opt/tools \
 && /opt/tools/bin/python -m pip --quiet install --no-index --find-links /wheels cython editables hatchling
RUN python3 -m venv /opt/eas \
 && /opt/eas/bin/python -m pip --quiet install --no-index --find-links /wheels --no-deps --require-hashes \
    -r /wheels/runtime.lock
COPY source/ /app/
WORKDIR /app
# The program is used from /app, where its dbt project is. Compiled modules, parsed models and bytecode are made here,
# since the root of a container may be read-only.
RUN export PYTHONPATH=/opt/tools/lib/python3.11/site-packages DO_NOT_TRACK=1 EAS_DATA_DIR=/tmp/data \
 && /opt/eas/bin/python -m pip --quiet install --no-index --no-deps --no-build-isolation -e . \
 && /opt/eas/bin/python -m ingest.git.native.build \
 && ls ingest/git/native/*.abi3.so \
 && unset PYTHONPATH \
 && /opt/eas/bin/python -m orchestration.build.parsing \
 && /opt/eas/bin/python -m compileall -q -j 2 api ingest orchestration \
 && /opt/eas/bin/python -m pip --quiet uninstall --yes pip \
 && rm -rf /tmp/data && mkdir /data

FROM scratch
ADD base.tar /
COPY --from=build /opt/eas /opt/eas
COPY --from=build /app /app
COPY --from=build --chown=10001:10001 /data /data
ENV PATH=/opt/eas/bin:/usr/bin:/bin HOME=/data EAS_DATA_DIR=/data DO_NOT_TRACK=1
WORKDIR /app
USER 10001:10001
VOLUME /data
EXPOSE 8000
CMD ["eas", "serve", "--all-addresses"]
