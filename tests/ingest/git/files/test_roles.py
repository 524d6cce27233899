"""Paths have the roles that developers of their ecosystem would give them."""

import time

import pytest

from ingest.git.files.roles import (
    BUILD,
    CONFIGURATION,
    DATA,
    DOCUMENTATION,
    EXPORT,
    LICENCE,
    LOCK,
    ROLES,
    SOURCE,
    SUBMODULE,
    TEST,
    is_in_documents,
    role_of,
)
from ingest.git.lexing.languages import language_of

EXPECTED = {
    SOURCE: """
        .agents/skills/release/scripts/release.py .claude/hooks/check.sh src/openspec/parser.py src/flow/tasks.py
        src/specify/templates/render.py
        src/main.c lib/redis/client.rb app/models/user.py src/testing_tools.py src/contest.py src/latest.js
        src/main/java/org/junit/test/Runner.java src/main/java/com/a/Attestation.java
        pkg/protest/a.go src/Manifest.java
        numpy/testing/utils.py src/inspect.ts web/index.html web/style.css schema.sql api.proto infra/main.tf
        src/languages/go.js src/lang/python.ts src/door-lock.ts messages/handler.ts
        res/layout/main.xml View.xaml src/documents.py lib/specification.rb src/spectrum.py
        lib/t/parse.c src/app/app.config.ts examples/basic.py app/views/edit.erb Transit.swift Audit.cs src/fastest.go
        templates/package.html web/org/package.html app/overview.html src/site/App.tsx src/site/main.js
        web/src/site/resources/orders.ts src/site/resources/js/app.js src/site/resources/css/shop.css
        src/site/resources/index.html src/site/apt/run.ts src/main/java/com/shop/xdoc/Parser.java lib/xdoc/parser.rb
        xdocs/run.py xdoc/main.c src/xdoc/page.html src/app/org/billing/package.html web/org/plans/package.html
        courses/java/overview.html src/org/plans/package.html java/plans/package.html app/com/shop/package.html
        src/app/java/plans.html web/src/org/plans/package.html
        src/pages/test-types/list.tsx app/models/test_types/blood.rb src/dts-test/a.ts
        src/hr/guides/booking.py src/warehouse/manual/pick.go app/wiki/pages.rb src/procurement/requirements/match.py
        src/MyApp/Wiki/WikiController.cs src/Guides/Tour.java services/wiki/main.go web/pages/wiki/edit.tsx
        src/app/wiki/wiki.component.html src/app/wiki/wiki.component.css Src/Wiki/edit.html.twig lib/guides/a.blade.php
        src/wiki/index.html tools/changelog/collect.py
        src/parser.y src/lexer.l src/app.coffee manifests/init.pp Ledger.cob Main.qml views/list.jsp
    """,
    TEST: """
        spec/models/page.md specs/fixtures/page.md tests/specs/page.md specs/search.test.ts specs/search.ts
        docs/specs/search.ts spec/features/search.txt specs/search/data/page.md
        tests/test_a.py test/a.js src/a_test.go a/b.spec.ts a/__tests__/b.js a/__mocks__/fs.js src/test/java/A.java
        src/test/resources/a.json FooTest.java FooTests.cs FooIT.java TestFoo.java src/FooSpec.scala My.App.Tests/A.cs
        spec/models/user_spec.rb spec/spec_helper.rb tests/unit/expire.tcl conftest.py src/conftest.py src/lib_test.rs
        pkg/npm/parse_testcase.go
        tests.rs src/tests.rs a_unittest.cc test_a.c a.bats t/basic.t features/login.feature e2e/login.ts cypress/a.js
        a.cy.ts a.test.jsx Button.test.tsx tests/testthat/test-a.R a_SUITE.erl a_test.exs test/test_helper.exs
        a.Tests.ps1 testing/python/fixtures.py testdata/a.json pkg/testdata/golden.txt a/fixtures.test.js test.py
        AppTests/LoginTests.swift androidTest/A.kt integration-tests/a.py tests/data/a.csv a_test.dart tests/conf.yml
        app.e2e-spec.ts UserTest.php src/server.tests.rs tests/Dockerfile user_test.rb
        t/t0001-init.sh t/helper/run.c xt/pod.sh test-type/fetcher.ts packages/core/type-tests/a.tsx test-d/index.ts
        dtslint/a.ts packages-private/dts-test/ref.ts
    """,
    DOCUMENTATION: """
        changelog/en.md fastlane/metadata/android/en-US/full_description.txt docs/descriptions/checkout.md
        specs/001-search/plan.md docs/superpowers/specs/search-design.md docs/spec/search.md .kiro/specs/search/tasks.md
        .flow/specs/fn-1-search.md .flow/tasks/fn-1.2.md .specify/memory/constitution.md .cursor/rules/style.mdc
        .claude/skills/e2e/SKILL.md .claude/agents/test/reviewer.md openspec/changes/add-search/specs/search/spec.md
        README.md README readme.rst docs/index.md docs/conf.py doc/a.html LICENSE LICENSE-MIT license.txt COPYING
        CHANGELOG.md CHANGES.rst changelog/123.bugfix.rst HISTORY.txt AUTHORS CONTRIBUTING.md SECURITY.md
        notes.txt a.adoc xdocs/guide.xml src/site/xdoc/index.xml src/site/fml/faq.fml
        src/java/org/acme/shop/package.html src/main/java/overview.html contrib/web2/xdocs/guide.xml
        src/site/apt/run.apt core/src/site/xdoc/a.html core/src/main/java/org/acme/package.html
        man/tool.1 docs/img/a.png README.zh-CN.md CODE_OF_CONDUCT.md tests/README.md .changeset/a.md guide.md
        docs/requirements/api.md requirements/goals.md src/guides/start.md guides/example.py Wiki/run.py
        site/wiki/index.html site/guides/edit.html.twig services/wiki/pages.json services/wiki/pages.yaml
        guides/src/a.html services/wiki/plan services/wiki/start.md site/Docs/wiki/run.py
        documentation/app/guides/run.py src/wiki/docs/a.py docs/src/guides/run.py lib/docs/example.rb
        Documentation/a.rst newsfragments/1.feature.rst docs/.vitepress/theme.vue 00-RELEASENOTES paper.tex
    """,
    BUILD: """
        Makefile src/Makefile.am rules.mk Dockerfile docker/Dockerfile.dev prod.dockerfile
        docker-compose.yml compose.yaml
        package.json a/package.json pyproject.toml setup.py setup.cfg tox.ini requirements.txt requirements-dev.txt
        dev-requirements.in requirements/base.txt pom.xml build.gradle build.gradle.kts settings.gradle
        Cargo.toml build.rs
        go.mod Gemfile a.gemspec a.nimble dub.sdl Rakefile composer.json a.csproj a.slnx a.vcxproj mix.exs pubspec.yaml
        Package.swift CMakeLists.txt
        cmake/a.cmake configure.ac meson.build BUILD a/BUILD.bazel WORKSPACE .github/workflows/ci.yml .gitlab-ci.yml
        .travis.yml .circleci/config.yml Jenkinsfile azure-pipelines.yml .pre-commit-config.yaml webpack.config.js
        vite.config.ts jest.config.js babel.config.js gulpfile.js tsconfig.json tsconfig.base.json noxfile.py .npmrc
        flake.nix stack.yaml project.clj debian/rules .dockerignore rollup.dts.config.ts MANIFEST.in docs/Makefile
        redis.spec
    """,
    CONFIGURATION: """
        .gitignore .gitattributes .editorconfig .eslintrc .eslintrc.json .prettierrc config.yaml config/settings.json
        settings.toml app.ini .env .flake8 mypy.ini k8s/deployment.yaml .vscode/settings.json redis.conf a.properties
        .github/labels.yml CODEOWNERS .mailmap appsettings.Development.json AndroidManifest.xml
        nginx.conf .clang-format
    """,
    LOCK: """
        package-lock.json a/yarn.lock pnpm-lock.yaml Cargo.lock poetry.lock uv.lock Gemfile.lock composer.lock go.sum
        Pipfile.lock flake.lock npm-shrinkwrap.json packages.lock.json .terraform.lock.hcl bun.lockb
        Podfile.lock mix.lock
        pylock.toml pylock.dev.toml gems.locked cpanfile.snapshot gradle/verification-metadata.xml
        maven_install.json vcpkg-lock.json requirements.lock.txt
        gradle.lockfile tests/uv.lock Package.resolved env.lock.yml esy.lock/index.json dune.lock/base.pkg
        deps-lock.json gemset.nix nix/sources.json Manifest-v1.11.toml
    """,
    DATA: """
        flow/tasks/board.json src/taskmaster/tasks/tasks.json openspec/tasks.json
        data/a.json a.csv logo.svg img/a.png a.ipynb fonts/a.woff2 a.patch locale/de.po model.onnx
        a.bin commands/get.json tool bin/run strange.mojibake res/values-de/strings.xml config/locales/de.yml
        app/src/main/res/values-in/strings.xml res/values-iw-rIL/plurals.xml
        src/main/resources/messages_de.properties Strings.de.resx ios/de.lproj/Localizable.strings locales/de.json
        lib/l10n/app_de.arb src/locale/messages.de.xlf lang/pt_BR/validation.php i18n/zh-Hans.ts
        locales/de/main.ftl language/de-DE/com_shop.ini Strings/de-DE/Resources.resw setup/de-de.wxl lang/german.json
        browser/locales/de/menu.dtd assets/shop/lang/de_DE.lang i18n/active.de.toml strings/shop_de.xtb messages/de.json
        package.nls.de.json src/commonMain/composeResources/values-b+sr+Latn/strings.xml src/texts.de.json
        translations/messages+intl-icu.de.yaml src/main/resources/messages.properties
        web/messages_in_ID.properties web/messages_iw.properties web/messages_kh.properties
        app/res/values-sc/strings.xml app/res/values-kab/arrays.xml
        changelog/cs_CZ.md changelog/ja.md
        fastlane/metadata/android/de-DE/full_description.txt app/src/main/play/listings/fr/title.txt
    """,
    EXPORT: """
        .flow/tasks/fn-1.2.json .flow/.checkpoint-fn-1.json .taskmaster/tasks/tasks.json .beads/issues.jsonl
        po/app.pot
        src/PublicAPI.Shipped.txt src/net8.0/PublicAPI.txt
        logs/build.log yarn-error.log tags cscope.out a.sig certs/root.pem SHA256SUMS board.kicad_pcb plan.drawio
        art/logo.ai scene.unity a.golden tests/a.approved.txt bom.cdx.json hs_err_pid12.log .idea/workspace.xml
        app/.settings/org.eclipse.jdt.core.prefs app/.classpath .project
        __snapshots__/a.js.snap htmlcov/index.html
        src/Shop.sln App.xcodeproj/xcshareddata/xcschemes/App.xcscheme win/shop.vcproj win/shop.dsp win/shop.dsw
        win/setup.vdproj win/shop.vcxproj.filters src/Shop.csproj.user qt/shop.pro.user src/Shop.sln.DotSettings
        session.cast main.c.gcov users.ldif paper.bbl letter.fodt report.rdl api.postman_collection.json _site/feed.xml
        .phan/stubs/redis.phan_php docs/shop.docset/Contents/Info.html revdep/problems.md revdep/README.md
        .stoplight/custom-functions/oasSchema.js docs/.stoplight/styleguide.json .insomnia/Request/req_1.yml
        thunder-tests/thunderclient.json shop.postman_globals.json
        revdep/summary.md init/Ann.terminal init/Dark.itermcolors
    """,
}


@pytest.mark.parametrize(
    ("role", "path"), [(role, path) for role, paths in EXPECTED.items() for path in paths.split()]
)
def test_a_path_has_its_role(role: str, path: str) -> None:
    assert role_of(path, language_of(path)) == role


@pytest.mark.parametrize(
    "path",
    [
        *("t", "t_load", "t/t_load", "tests/t-load", "perl/t/lib/Shop/Cart.pm", "git/t/lib-shop"),
        *("examples/shop/t/cart.pl", "perl/xt/pod.pl", "modules/Shop-Cart/t/cart.pm", "Shop/t/TestCart.pm"),
    ],
)
def test_scripts_of_perl_and_of_a_shell_in_the_place_of_tests_are_tests(path: str) -> None:
    for line in (b"#! /usr/bin/perl -w", b"#!/bin/sh"):
        assert role_of(path, language_of(path, line)) == TEST


@pytest.mark.parametrize(
    ("path", "first_line"),
    [
        ("tool", b"#!/usr/bin/perl"),
        ("bin/tt", b"#!/usr/bin/perl"),
        ("bin/test-build", b"#!/bin/sh"),
        ("bin/t", b"#!/bin/sh"),
        ("bin/t-deploy", b"#!/bin/sh"),
        ("scripts/t_sync", b"#!/usr/bin/perl"),
        ("tools/t_sync", b"#!/bin/sh"),
        ("app/t/handler.pl", b"#!/usr/bin/perl"),
        ("web/templates/t/handler.pl", b"#!/usr/bin/perl"),
        ("bin/t/deploy.sh", b"#!/bin/sh"),
        ("lib/Shop/T.pm", b"package Shop::T;"),
        ("lib/t/read.py", b"#!/usr/bin/env python3"),
        ("i18n/t", b"#!/usr/bin/env python3"),
    ],
)
def test_other_scripts_are_no_tests(path: str, first_line: bytes) -> None:
    assert role_of(path, language_of(path, first_line)) == SOURCE


def test_every_role_is_expected_of_some_path() -> None:
    assert set(EXPECTED) == set(ROLES) - {LICENCE, SUBMODULE}, "they are known by text and kind"


@pytest.mark.parametrize(
    "path", ["", "/", "a/", "\udcff.py", "a\nb.py", "x" * 4_000, "a/" * 2_000 + "test_a.py"]
)
def test_odd_paths_have_a_role(path: str) -> None:
    assert role_of(path, language_of(path)) in ROLES


@pytest.mark.parametrize("folder", ["src/", "docsrc/", "Wiki-src/"])
def test_the_search_for_folders_of_documents_takes_time_in_proportion_to_a_path(folder: str) -> None:
    path = folder * (400_000 // len(folder)) + "a.py"
    start = time.process_time()
    is_in_documents(path, language_of(path))
    # Some hundredths of a second; time that grows with the square of the length is minutes.
    assert time.process_time() - start < 5
