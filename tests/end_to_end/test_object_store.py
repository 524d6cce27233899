"""`eas analyze` and `eas doctor` with the raw lake in a real S3 server."""

from collections.abc import Callable

from s3fs import S3FileSystem

from tests.end_to_end.eas import Eas
from tests.git_repository import GitRepository
from tests.object_store import ObjectStore, store, store_address

__all__ = ["store", "store_address"]


def test_an_analysis_publishes_what_the_object_store_holds(
    small_eas: Eas, new_repository: Callable[..., GitRepository], store: ObjectStore
) -> None:
    repository = new_repository("house")
    repository.commit({"wall.py": "def wall(a):\n    return a.brick(1)\n"})
    done = small_eas.run_here("analyze", repository.path, RAW_DIR=store.url)
    assert done.returncode == 0, done.stdout
    assert small_eas.rows("select count(*) from commits_by_time") == [(1,)]
    assert not (small_eas.data / "raw").exists()
    repository.commit({"roof.py": "def roof(b):\n    return b.tile(2)\n"})
    again = small_eas.run_here("analyze", repository.path, RAW_DIR=store.url)
    assert again.returncode == 0, again.stdout
    assert "1 new commit" in again.stdout
    assert small_eas.rows("select count(*) from commits_by_time") == [(2,)]


def test_the_doctor_says_whether_the_store_can_be_written(fresh_eas: Eas, store: ObjectStore) -> None:
    assert f"ok   Raw lake: {store.url} is writable" in fresh_eas.run_here("doctor", RAW_DIR=store.url).stdout
    for wrong, reason in {
        "AWS_ENDPOINT_URL": "Could not connect to the endpoint",
        "RAW_DIR": "bucket does not exist",
    }.items():
        settings = {
            "RAW_DIR": store.url,
            wrong: "http://127.0.0.1:9" if wrong != "RAW_DIR" else "s3://bukket/raw",
        }
        S3FileSystem.clear_instance_cache()
        said = fresh_eas.run_here("doctor", **settings).stdout
        [line] = [line for line in said.splitlines() if line.startswith("FAIL Raw lake")]
        assert reason in line
        assert "Check RAW_DIR" in line
