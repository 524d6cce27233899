"""Vendored, generated and minified files are distinguished from files that people wrote here."""

import json
import sysconfig
from pathlib import Path

import pytest

from ingest.git.files.provenance import SAMPLE_SIZE, is_generated_path, is_minified, is_vendored

VENDORED = """
    vendor/a.go a/vendor/b.rb node_modules/x/index.js third_party/zlib/a.c 3rdparty/a.cpp deps/lua/src/lua.c
    pip/_vendor/six.py extern/a.py vendors/jquery/a.py assets/vendors/chart.js external/a.py src/external/stb_image.h
    app/external/six/six.py vendor/six.py src/vendor/github.com/acme/external/a.go sklearn/externals/six.py
    deps/lua/a.py
    lib/vendor/rack/utils.rb external/gson/src/main/java/com/google/gson/Gson.java Pods/A/a.m gradlew
    gradle/wrapper/gradle-wrapper.jar .yarn/releases/yarn.cjs
    build-aux/config.guess versioneer.py
    .specify/templates/plan-template.md .specify/scripts/bash/common.sh .flow/bin/flowctl.py .bmad-core/agents/dev.md
    .claude/commands/speckit.plan.md .github/prompts/speckit.plan.prompt.md static/pygments.css docs/_themes/flask/a.css
"""
OURS = """
    core/external/provider.go src/vendors/onboarding.py src/app/vendor/ratings.py src/orders/external/sync.py
    deps/graph.py
    src/main/java/com/acme/external/orders/Sync.java app/src/main/kotlin/dev/shop/vendor/list/Row.kt
    app/vendors/index.vue
    src/deps/a.c app/vendoring.py lib/external.rb docs/vendor.md src/jqueryish.ts
    tools/dependencies.py src/bootstrapper.py lib/pygments.py docs/_themes/ours/a.css
    .specify/memory/constitution.md .specify/specs/001/plan.md .claude/commands/release.md specify/templates/a.py
    flow/bin/run.py speckit/commands/plan.md src/commands/speckit.plan.md
    app/third.py internal/a.go
    src/uthash.h src/bootstrap.js js/bootstrap-tooltip.js js/jquery.cookie.js feature-detects/modernizr.js
"""


@pytest.mark.parametrize("path", VENDORED.split())
def test_vendored_paths_are_known(path: str) -> None:
    assert is_vendored(path)


@pytest.mark.parametrize("path", OURS.split())
def test_other_paths_are_not_vendored(path: str) -> None:
    assert not is_vendored(path)


GENERATED_PATHS = """
    a.pb.go a.pb.cc a_pb2.py a_pb2_grpc.py a_pb2.pyi a_pb.js model.g.dart model.freezed.dart Form.Designer.cs A.g.cs
    api.generated.ts zz_generated.deepcopy.go types_gen.go routeTree.gen.ts src/__generated__/a.ts src/generated/a.py
    dist/index.js a.js.map __snapshots__/a.snap y.tab.c bindata.go db/schema.rb App.xcodeproj/project.pbxproj
    scripts/esbuild-snapshots/snapshots_css.txt pkg/tests/snapshots/test_format/out.sql tests/core/snapshots/stderr.log
    conformance.snap.md App.xcodeproj/xcuserdata/ann.xcuserdatad/xcdebugger/Breakpoints_v2.xcbkptlist
    static/css/app.5e5e1b68e17f.css static/js/vendor.7115c1b78dbb.js static/admin/LICENSE.d6a7c3b1e0f2.txt
    dist/routes.js packages/core/dist/index.ts src/dist/lib/core.py
    static/main.a1b2c3d4.js static/main.0123456789abcdef0123.woff2 static/js/main.8e3b1c0f.js.map
"""
WRITTEN_PATHS = """
    src/dist/routes.py internal/dist/plan.go
    snapshots/orders.sql models/snapshots/orders.yml docs/snapshots/index.md skills/insta-snapshots/SKILL.md
    src/snapshots/store.py tests/snapshots/test_store.py tests/test_snapshots.py docs/snapshots.txt src/snap.ts
    css/site.defaced.css js/app.20240101.js js/feedface.js js/app.deadbeef.js data/run.1234abcd.txt src/v1.2a.ts
"""


@pytest.mark.parametrize("path", GENERATED_PATHS.split())
def test_generated_paths_are_known(path: str) -> None:
    assert is_generated_path(path)


@pytest.mark.parametrize("path", WRITTEN_PATHS.split())
def test_other_paths_are_no_generated_ones(path: str) -> None:
    assert not is_generated_path(path)


def test_minified_files_are_known_by_name_and_by_their_lines() -> None:
    code = b"function f(a){return a+1};" * 400
    assert is_minified("a.min.js", b"")
    assert is_minified("a-min.css", b"")
    assert is_minified("a.js", code)
    assert is_minified("a.js", b"/* licence */\n" + code)
    assert is_minified("a.json", json.dumps(list(range(2_000))).encode())
    assert not is_minified("a.js", code.replace(b";", b";\n"))
    assert not is_minified("a.js", code[:500])
    assert not is_minified("a.md", b"word " * 2_000)
    assert not is_minified("a.csv", b"1," * 2_000)
    assert not is_minified("administrator.js", b"")


def test_the_standard_library_has_lines_of_people() -> None:
    paths = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    assert len(paths) > 100, "the standard library is missing: nothing was tested"
    assert not [path.name for path in paths if is_minified(path.name, path.read_bytes()[:SAMPLE_SIZE])]
