"""Native projects that Expo, React Native, Capacitor and Flutter write for an app: `android/`, `ios/` and desktops.

People go on with these files, so only their first versions are the tool's. Each has words that the tool writes and is
hardly larger than what it writes: more is the work of people. Add: a file with its words and its size. Keep out: files
that a tool writes anew at each build, which state so (`mark_words`).
"""

import re
from typing import Final, NamedTuple


class _NativeFile(NamedTuple):
    """A file of a native project: its path, words in it, and its largest size."""

    path: re.Pattern[str]
    words: re.Pattern[bytes]
    most_bytes: int
    """About a tenth above the largest one that a tool writes."""


_FILES: Final = (
    # React Native and Expo
    _NativeFile(
        re.compile(r"(?:^|/)android/app/build\.gradle$"),
        re.compile(
            rb"This is the configuration block to customize your React Native Android app"
            rb"|The react\.gradle file registers a task for each build variant"
        ),
        8_500,
    ),
    _NativeFile(
        re.compile(r"(?:^|/)android/build\.gradle$"),
        re.compile(rb"All of React Native \(JS, Obj-C sources, Android binaries\) is installed from npm"),
        1_800,
    ),
    _NativeFile(
        re.compile(r"(?:^|/)android/settings\.gradle$"),
        re.compile(rb"com\.facebook\.react\.ReactSettingsExtension|expo-modules-autolinking"),
        1_700,
    ),
    _NativeFile(
        re.compile(r"(?:^|/)android/gradle\.properties$"),
        re.compile(rb"# Use this property to specify which architecture you want to build"),
        2_700,
    ),
    _NativeFile(
        re.compile(r"(?:^|/)android/\S+/AndroidManifest\.xml$"),
        re.compile(rb"expo\.modules\.updates\.EXPO_UPDATES_CHECK_ON_LAUNCH"),
        2_500,
    ),
    _NativeFile(
        re.compile(r"(?:^|/)MainActivity\.(?:java|kt)$"),
        re.compile(rb"Returns the name of the main component registered from JavaScript"),
        2_700,
    ),
    _NativeFile(
        re.compile(r"(?:^|/)MainApplication\.(?:java|kt)$"),
        re.compile(rb"Packages that cannot be autolinked yet can be added manually here"),
        2_700,
    ),
    _NativeFile(
        re.compile(r"(?:^|/)android/\S+/values/styles\.xml$"),
        re.compile(rb"@drawable/rn_edit_text_material"),
        1_200,
    ),
    _NativeFile(
        re.compile(r"(?:^|/)drawable/rn_edit_text_material\.xml$"), re.compile(rb"abc_edit_text_inset"), 2_200
    ),
    _NativeFile(
        re.compile(r"(?:^|/)ios/\S+/AppDelegate\.(?:mm?|swift)$"),
        re.compile(rb"You can add your custom initial props in the dictionary below"),
        3_000,
    ),
    _NativeFile(
        re.compile(r"(?:^|/)ios/Podfile$"), re.compile(rb"use_expo_modules!|\buse_react_native!"), 2_900
    ),
    _NativeFile(
        re.compile(r"(?:^|/)ios/\S+/Info\.plist$"),
        re.compile(rb"<string>exp\+[\w-]+</string>|\.expo\.index_route</string>"),
        3_100,
    ),
    _NativeFile(re.compile(r"(?:^|/)ios/\S+/SplashScreen\.storyboard$"), re.compile(rb"id=\"EXPO-"), 3_500),
    # Flutter
    _NativeFile(
        re.compile(r"(?:^|/)(?:ios|macos)/Podfile$"),
        re.compile(rb"\bflutter_additional_(?:ios|macos)_build_settings"),
        1_600,
    ),
    # Capacitor
    _NativeFile(re.compile(r"(?:^|/)ios/App/Podfile$"), re.compile(rb"\bdef capacitor_pods"), 900),
    _NativeFile(
        re.compile(r"(?:^|/)ios/App/App/AppDelegate\.swift$"),
        re.compile(rb"ApplicationDelegateProxy\.shared\.application"),
        3_400,
    ),
)
_NAME: Final = re.compile(
    r"(?:^|/)(?:build\.gradle|settings\.gradle|gradle\.properties|AndroidManifest\.xml|MainActivity\.\w+|styles\.xml"
    r"|MainApplication\.\w+|rn_edit_text_material\.xml|AppDelegate\.\w+|Podfile|Info\.plist|SplashScreen\.storyboard)$"
)


def may_be_native(path: str) -> bool:
    """Whether a native project has a file of this name."""
    return _NAME.search(path) is not None


def find_native(path: str, head: bytes) -> bytes | None:
    """Words of a new file that is as a tool wrote it; `head` are its first `MARK_BYTES`."""
    for one in _FILES:
        if len(head) <= one.most_bytes and one.path.search(path) is not None:
            words = one.words.search(head)
            if words is not None:
                return words[0]
    return None
