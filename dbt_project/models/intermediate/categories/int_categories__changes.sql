-- The change itself, as terms that the category model weighs beside the words of the message.

with files as (
    select * from {{ ref('int_files') }}
),

kinds as (
    select
        commit_sha,
        path,
        status,
        novel_lines - novel_test_lines as novel_lines,
        -- Tests inside a file of source.
        novel_test_lines as inline_test_lines,
        comment_lines,
        moved_lines,
        -- Lines that were deleted. `removed_lines` counts only old lines and is 0 in a young repository.
        greatest(lines_deleted - moved_lines - layout_lines, 0) as gone_lines,
        role = 'data' and {{ matches('path', pattern_text(var('category_text_paths'))) }} as is_text,
        role in ('source', 'data') as is_code,
        role = 'test' as is_test,
        role = 'documentation' as is_document,
        role in ('build', 'configuration') as is_setting,
        role = 'lock' as is_lock,
        status = 'A' as is_new,
        -- The model learned from commits whose removed files counted as changed ones where their lines count.
        status = 'D' and not is_in_delivery as is_deleted
    from files
    where not {{ is_worthless_file('files') }}
),

-- Translations follow their originals, so their lines say nothing about the kind of work.
named as (
    select
        *,
        is_code and not is_text as is_source,
        case
            when not is_code or is_text then 'none'
            when {{ matches('path', pattern_text(var('category_example_paths'))) }} then 'example'
            when {{ matches('path', pattern_text(var('category_interface_paths'))) }} then 'interface'
            when {{ matches('path', pattern_text(var('category_surface_paths'))) }} then 'surface'
            else 'none'
        end as place_kind
    from kinds
),

sums as (
    select
        commit_sha,
        {% for name, condition in {
            'files': 'is_source',
            'new_files': 'is_source and is_new',
            'deleted_files': 'is_source and is_deleted',
            'renamed_files': "is_source and status = 'R'",
            'example_files': "place_kind = 'example'",
            'interface_files': "place_kind = 'interface' and is_new",
            'text_files': 'is_text',
            'surface_files': "place_kind = 'surface'",
            'new_surface_files': "place_kind = 'surface' and is_new",
            'test_files': 'is_test or inline_test_lines > 0',
            'new_test_files': 'is_test and is_new',
            'documents': 'is_document',
            'new_documents': 'is_document and is_new',
            'settings': 'is_setting',
            'new_settings': 'is_setting and is_new',
            'locks': 'is_lock',
        }.items() -%}
        count(case when {{ condition }} then 1 end) as {{ name }},
        {% endfor -%}
        {% for name, lines in {
            'novel_lines': ('novel_lines', 'is_source'),
            'novel_lines_of_new_files': ('novel_lines', 'is_source and is_new'),
            'gone_lines': ('gone_lines', 'is_source'),
            'moved_lines': ('moved_lines', 'is_source'),
            'comment_lines': ('comment_lines', 'is_source'),
            'novel_test_lines': ('case when is_test then novel_lines else inline_test_lines end', 'true'),
            'novel_document_lines': ('novel_lines', 'is_document'),
        }.items() -%}
        cast(coalesce(sum(case when {{ lines[1] }} then {{ lines[0] }} end), 0) as bigint) as {{ name }}
        {{- ',' if not loop.last }}
        {% endfor %}
    from named
    group by commit_sha
),

{% set lines = [0, 2, 5, 10, 20, 40, 80, 160, 320, 640, 1280] -%}
{% set few = [0, 1, 3] -%}
{% set files = [0, 1, 2, 3, 5, 10, 20] -%}
{% set changed = '(novel_lines + gone_lines)' -%}
{% set described = '(novel_lines + comment_lines)' -%}
{% set shifted = '(novel_lines + moved_lines)' -%}
said as (
    select
        commit_sha,
        files,
        novel_lines,
        gone_lines,
        {{ array_of([
            count_term('new lines', 'novel_lines', lines),
            count_term('lines removed', 'gone_lines', lines),
            share_term('share of changed lines removed', 'gone_lines', changed, [0, 50, 150, 300, 450, 600, 800, 999]),
            count_term('files', 'files', files),
            count_term('new files', 'new_files', files),
            share_term(
                'share of new lines in new files', 'novel_lines_of_new_files', 'novel_lines', [0, 250, 500, 750, 950]
            ),
            share_term('share of lines that only moved', 'moved_lines', shifted, [0, 100, 300, 600]),
            share_term('share of comments among new lines', 'comment_lines', described, [0, 100, 300, 600]),
            count_term('deleted files', 'deleted_files', few),
            count_term('renamed files', 'renamed_files', few),
            count_term(
                'changed lines a file', whole_ratio(changed, 'greatest(files, 1)'), [1, 2, 4, 8, 16, 32, 64, 128]
            ),
            "case
                when new_test_files > 0 then 'change:tests: new'
                when novel_test_lines > 0 then 'change:tests: added to'
                when test_files > 0 then 'change:tests: touched'
                else 'change:tests: none'
            end",
            share_term(
                'new lines of tests per new line', 'novel_test_lines', '(novel_lines + 1)',
                [0, 50, 300, 600, 1000, 2000, 4000]
            ),
            count_term('new lines of tests', 'novel_test_lines', [0, 5, 20, 60, 200]),
            "case
                when new_documents > 0 then 'change:documents: new'
                when documents > 0 then 'change:documents: touched'
                else 'change:documents: none'
            end",
            count_term('new lines of documents', 'novel_document_lines', [0, 2, 10, 40]),
            count_term('build and configuration files', 'settings', few),
            "case when new_settings > 0 then 'change:a new configuration file' end",
            "case when locks > 0 then 'change:a lock file' end",
            "case when interface_files > 0 then 'change:a new migration or interface description' end",
            "case when text_files > 0 then 'change:texts of a language' end",
            "case when surface_files > 0 then 'change:part of a command, page or interface' end",
            "case when new_surface_files > 0 then 'change:a new part of a command, page or interface' end",
            "case when example_files > 0 then 'change:an example' end",
            "concat("
            ~ count_term('new lines, and share of changed lines removed', 'novel_lines', [2, 10, 40, 160, 640])
            ~ ", '; ', " ~ share_size('gone_lines', changed, [0, 150, 450, 800]) ~ ")",
            "concat("
            ~ count_term('new lines, and share of them in new files', 'novel_lines', [2, 10, 40, 160, 640])
            ~ ", '; ', " ~ share_size('novel_lines_of_new_files', 'novel_lines', [0, 500, 950]) ~ ")",
        ]) }} as terms
    from sums
)

select
    commit_sha,
    files,
    novel_lines,
    gone_lines,
    {{ chosen('terms', 'term', 'term is not null') }} as terms
from said
where files > 0
