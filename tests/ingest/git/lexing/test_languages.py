"""Languages are recognised by name, extension and shebang, and their tables are consistent."""

import keyword
import re

import pytest

from ingest.git.lexing.languages import LANGUAGES, UNKNOWN, Language, language_of
from ingest.git.lexing.line_features import BLANK, CODE, COMMENT, features

# Path, language, a line of comment and a line of code; None where the language has no comments.
SAMPLES: list[tuple[str, str, str | None, str]] = [
    ("a/b.py", "Python", "# note", "x = f(1)  # note"),
    ("types.pyi", "Python", "# note", "x: int"),
    ("a.js", "JavaScript", "// note", "let x = 'http://a.b'"),
    ("a.mjs", "JavaScript", "/* note */", "f() /* note */"),
    ("a.jsx", "JSX", "{/* note */}", "<a href='b'>"),
    ("a.ts", "TypeScript", "// note", "type A = { b: number }"),
    ("a.tsx", "TSX", "/* note */", "return <A<B> />"),
    ("a.vue", "Vue", "<!-- note -->", "<template>"),
    ("a.svelte", "Svelte", "<!-- note -->", "{#if a}"),
    ("A.java", "Java", "// note", '@Test("/*")'),
    ("a.kt", "Kotlin", "/* note */", "val x = 'a'"),
    ("build.gradle.kts", "Kotlin", "// note", "plugins {"),
    ("a.go", "Go", "// note", "s := `//`"),
    ("a.rs", "Rust", "/// note", "fn f<'a>(x: &'a str) {}"),
    ("a.c", "C", "/* note */", '#include "a.h"'),
    ("a.h", "C", "// note", "#define A '\"'"),
    ("a.cpp", "C++", "// note", "auto x = 1'000;"),
    ("a.mm", "Objective-C", "// note", '[self say:@"//"];'),
    ("a.cs", "C#", "/// note", '#region "x"'),
    ("a.rb", "Ruby", "# note", 'puts "#{x}"'),
    ("Gemfile", "Ruby", "# note", "gem 'rake'"),
    ("a.php", "PHP", "# note", "#[Attribute]"),
    ("a.swift", "Swift", "// note", "let x = #selector(a)"),
    ("a.scala", "Scala", "// note", "val x = 'a'"),
    ("a.sh", "Shell", "# note", 'echo "$#" ${x#y}'),
    ("a.ps1", "PowerShell", "<# note #>", "Write-Host $x"),
    ("a.sql", "SQL", "-- note", "select '--' from a"),
    ("a.html", "HTML", "<!-- note -->", "<p>it's</p>"),
    ("pom.xml", "XML", "<!-- note -->", '<a b="c"/>'),
    ("a.css", "CSS", "/* note */", "#id { color: red }"),
    ("a.scss", "SCSS", "// note", "a { b: url(http://c.d) }"),
    ("a.less", "Less", "// note", "@a: 1;"),
    ("Dockerfile", "Dockerfile", "# note", "RUN echo '#'"),
    ("prod.Dockerfile", "Dockerfile", "# note", "FROM a"),
    ("Dockerfile.alpine", "Dockerfile", "# note", "FROM a"),
    ("Makefile", "Makefile", "# note", "a: b"),
    ("CMakeLists.txt", "CMake", "# note", "project(a)"),
    ("a.tf", "Terraform", "// note", 'resource "a" "b" {'),
    ("a.yaml", "YAML", "# note", "a: b#c"),
    ("a.toml", "TOML", "# note", 'a = "#"'),
    ("a.ini", "INI", "; note", "[a]"),
    ("a.json", "JSON", "// note", '{"a": "//"}'),
    ("a.md", "Markdown", "<!-- note -->", "# Heading"),
    ("a.rst", "reStructuredText", None, "Heading"),
    ("a.adoc", "AsciiDoc", "// note", "= Heading"),
    ("a.pl", "Perl", "# note", "my $n = $#list;"),
    ("a.lua", "Lua", "-- note", "x = {}"),
    ("a.r", "R", "# note", "x <- 1"),
    ("a.jl", "Julia", "# note", "f(x) = x'"),
    ("a.hs", "Haskell", "-- note", "f x' = x'"),
    ("a.ex", "Elixir", "# note", "def a, do: 1"),
    ("a.erl", "Erlang", "% note", "f() -> ok."),
    ("a.clj", "Clojure", ";; note", "(defn f [])"),
    ("a.dart", "Dart", "/// note", "var x = 1;"),
    ("a.groovy", "Groovy", "// note", "def x = 1"),
    ("build.gradle", "Groovy", "// note", "apply plugin: 'a'"),
    ("a.zig", "Zig", "// note", "const a = 1;"),
    ("a.d", "D", "/+ note +/", "auto a = `/+`;"),
    ("a.nim", "Nim", "#[ note ]#", "let a = '#'"),
    ("a.nix", "Nix", "# note", "{ a = 1; }"),
    ("a.proto", "Protocol Buffers", "// note", "message A {"),
    ("a.graphql", "GraphQL", "# note", "type A {"),
    ("a.tcl", "Tcl", "# note", "set x [llength $y]"),
    ("a.s", "Assembly", "# note", "mov eax, ebx"),
    ("a.vim", "Vim script", '" note', 'let x = "y"'),
    ("a.ipynb", "Jupyter Notebook", None, '"cells": ['),
    ("a.feature", "Gherkin", "# note", "Given a thing"),
    ("README", "Text", None, "# Heading"),
    ("config.h.in", "C", "/* note */", "#undef A"),
    ("a.y", "Yacc", "/* note */", "expr: expr '+' term { $$ = $1; }"),
    ("a.l", "Lex", "/* note */", "[0-9]+ { return NUMBER; }"),
    ("a.g4", "ANTLR", "// note", "ID : [a-z]+ ;"),
    ("a.pegjs", "PEG", "// note", "sum = left:product"),
    ("a.rl", "Ragel", "// note", "main := [a-z]+ ;"),
    ("a.coffee", "CoffeeScript", "# note", "square = (x) -> x * x"),
    ("a.gd", "GDScript", "# note", "func _ready():"),
    ("a.qml", "QML", "// note", "width: 100"),
    ("a.hx", "Haxe", "// note", "var a = 1;"),
    ("a.vala", "Vala", "/* note */", "public class A : Object {"),
    ("a.gleam", "Gleam", "// note", "pub fn add(a, b) {"),
    ("a.odin", "Odin", "// note", "main :: proc() {"),
    ("a.res", "ReScript", "// note", "let a = 1"),
    ("a.re", "ReasonML", "/* note */", "let a = 1;"),
    ("a.move", "Move", "// note", "module a::b {"),
    ("a.bal", "Ballerina", "// note", "int a = 1;"),
    ("a.chpl", "Chapel", "/* note */", "writeln(1);"),
    ("a.hack", "Hack", "// note", "function f(): int {"),
    ("a.stan", "Stan", "// note", "real x;"),
    ("a.bsl", "1C", "// note", 'A = "//";'),
    ("a.cl", "OpenCL", "// note", "x = a; y = b;"),
    ("a.pde", "Processing", "// note", "void setup() {"),
    ("a.fbs", "FlatBuffers", "// note", "table A {"),
    ("a.capnp", "Cap'n Proto", "# note", "struct A {"),
    ("a.smithy", "Smithy", "// note", "structure A {"),
    ("a.tsp", "TypeSpec", "// note", "model A {"),
    ("a.prisma", "Prisma", "// note", "model A {"),
    ("a.cue", "CUE", "// note", "a: int"),
    ("a.rego", "Rego", "# note", "allow if x"),
    ("a.bicep", "Bicep", "// note", "param a string"),
    ("a.dts", "Device Tree", "/* note */", "uart0: serial {"),
    ("a.scad", "OpenSCAD", "// note", "cube(1);"),
    ("a.ld", "Linker Script", "/* note */", "SECTIONS {"),
    ("a.rq", "SPARQL", "# note", "SELECT ?a"),
    ("Kconfig", "Kconfig", "# note", "config A"),
    ("a.vcl", "VCL", "# note", "sub vcl_recv {"),
    ("a.pp", "Puppet", "# note", "file { '/a': ensure => present }"),
    ("a.jq", "jq", "# note", "def f: .a;"),
    ("a.dhall", "Dhall", "-- note", "let a = 1"),
    ("a.xqm", "XQuery", "(: note :)", "for $a in $b"),
    ("a.wdl", "WDL", "# note", "task a {"),
    ("a.wat", "WebAssembly", ";; note", "(module)"),
    ("a.spec", "RPM Spec", "# note", "%setup -q"),
    ("a.bb", "BitBake", "# note", 'SUMMARY = "a"'),
    ("a.vy", "Vyper", "# note", "def f():"),
    ("a.mojo", "Mojo", "# note", "fn f():"),
    ("a.ls", "LiveScript", "# note", "f = (x) -> x"),
    ("a.moon", "MoonScript", "-- note", "f = (x) -> x"),
    ("a.raku", "Raku", "# note", "say 1;"),
    ("a.nu", "Nushell", "# note", "let a = 1"),
    ("a.elv", "Elvish", "# note", "var a = 1"),
    ("a.sml", "Standard ML", "(* note *)", "fun f x = x"),
    ("a.idr", "Idris", "-- note", "f : Int"),
    ("a.agda", "Agda", "-- note", "f : Set"),
    ("a.lean", "Lean", "-- note", "def f := 1"),
    ("a.prolog", "Prolog", "% note", "a(X) :- b(X)."),
    ("a.cob", "COBOL", "*> note", "DISPLAY 'a'."),
    ("a.abap", "ABAP", '" note', "WRITE 'a'."),
    ("a.sas", "SAS", "/* note */", "data a;"),
    ("a.do", "Stata", "* note", "gen x = 1"),
    ("a.st", "Smalltalk", None, "a := 'b'."),
    ("a.fth", "Forth", "\\ note", ": sq dup * ;"),
    ("a.applescript", "AppleScript", "-- note", "tell app"),
    ("a.ahk", "AutoHotkey", "; note", "Send x"),
    ("a.au3", "AutoIt", "; note", "Local $a = 1"),
    ("a.nsi", "NSIS", "; note", "Section"),
    ("a.iss", "Inno Setup", "; note", "[Setup]"),
    ("a.scd", "SuperCollider", "// note", "x = 1;"),
    ("a.jsp", "Templates", "<%-- note --%>", "<p>a</p>"),
    ("a.cshtml", "Templates", "@* note *@", "<p>a</p>"),
    ("a.html.erb", "Templates", "<%# note %>", "<p>a</p>"),
    ("a.html.heex", "Templates", "<%!-- note --%>", "<p>a</p>"),
    ("a.html.tmpl", "Templates", "{{/* note */}}", "<p>a</p>"),
    ("a.blade.php", "Blade", "{{-- note --}}", "{{ --$a }}"),
    ("a.ftl", "Templates", "<#-- note -->", "<#list a as b>"),
    ("a.haml", "Templates", "-# note", "%a{href: '//b'}"),
    ("a.tpl", "Smarty", "{* note *}", "{{#if a}}"),
    ("a.html.tpl", "Smarty", "{{/* note */}}", "{a}"),
    ("a.latte", "Smarty", "{* note *}", "{if $a}"),
    ("a.erb", "Templates", "<!-- note -->", "{{--i }}"),
    ("a.liquid", "Templates", "<!-- note -->", "{% if comment %}"),
    ("a.hbs", "HTML", "{{!-- note --}}", "{{#if a}}"),
    ("a.mustache", "HTML", "{{! note }}", "{{# a}}"),
    ("a.html", "HTML", "{% comment %} note", "<style>a{#b}</style>"),
    ("a.html.twig", "Jinja", "{# note #}", "{{ a }}"),
    ("a.html.j2", "Jinja", "{# note #}", "{{ a }}"),
    ("a.module", "PHP", "// note", "function f() {"),
    ("a.ets", "TypeScript", "// note", "struct A {"),
    ("a.typ", "Typst", "// note", "= Heading"),
]


@pytest.mark.parametrize(("path", "name", "comment", "code"), SAMPLES, ids=[s[0] for s in SAMPLES])
def test_a_path_names_its_language_and_the_language_its_comments(
    path: str, name: str, comment: str | None, code: str
) -> None:
    language = language_of(path)
    assert language.name == name
    assert _kind(language, code) == CODE
    assert _kind(language, "   ") == BLANK
    if comment is not None:
        assert _kind(language, comment) == COMMENT
        assert _kind(language, f"    {comment}\r") == COMMENT


def _kind(language: Language, line: str) -> int:
    return features(language, [line.encode()], [0]).kind[0]


@pytest.mark.parametrize(
    ("first_line", "name"),
    [
        (b"#!/bin/sh", "Shell"),
        (b"#! /usr/bin/env python3.11", "Python"),
        (b"#!/usr/bin/env -S node --experimental", "JavaScript"),
        (b"#!/usr/bin/env LC_ALL=C perl -w", "Perl"),
        (b"#!/usr/local/bin/ruby -w\r", "Ruby"),
        (b"#!", "unknown"),
        (b"#!/opt/strange", "unknown"),
        (b"\xff\xfe\x00", "unknown"),
        (b"", "unknown"),
    ],
)
def test_a_shebang_determines_the_language_where_the_name_does_not(first_line: bytes, name: str) -> None:
    assert language_of("bin/tool", first_line).name == name


@pytest.mark.parametrize("path", ["a", ".", "", "a/", "x.unheardof", "no\udcffname", "a.b.c.x9"])
def test_an_unknown_file_is_counted_by_text(path: str) -> None:
    assert language_of(path) is UNKNOWN
    assert _kind(UNKNOWN, "# no comment is known") == CODE


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES.keys())
def test_the_tables_of_a_language_are_consistent(language: Language) -> None:
    openers = [opener for opener, _ in (*language.block_comments, *language.long_strings)]
    assert len(set(openers)) == len(openers)
    assert set(language.docstrings) <= {opener for opener, _ in language.long_strings}
    assert re.compile(language.strings).groups == 0
    # A pattern that matches the empty text would be replaced everywhere.
    assert not language.strings or re.compile(language.strings).match(b"") is None
    assert all(mark.strip() == mark or mark.strip() for mark in language.line_comments)


def test_the_keywords_of_the_running_python_are_known() -> None:
    assert {word.encode() for word in keyword.kwlist} <= LANGUAGES["Python"].keywords
