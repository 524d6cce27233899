-- Keys of issues that the provider links, and words of that form in the title, the branch or the description of a pull
-- request. Whether an issue of this name exists is decided elsewhere.

with pull_requests as (
    select * from {{ ref('stg_hosts__pull_requests') }}
),

linked as (
    select
        pull_request_id,
        repository_id,
        {{ each('linked_issues') }} as key
    from pull_requests
),

{% set separators = pattern_text('[^A-Za-z0-9_#/-]+') -%}
title_words as (
    select
        pull_request_id,
        repository_id,
        {{ each(words_of(replaced('title', separators, "' '"))) }} as word
    from pull_requests
),

body_words as (
    select
        pull_request_id,
        repository_id,
        {{ each(words_of(replaced('body', separators, "' '"))) }} as word
    from pull_requests
),

branch_parts as (
    select
        pull_request_id,
        repository_id,
        {{ each(words_of("replace(source_branch, '/', ' ')")) }} as word
    from pull_requests
),

written as (
    select
        pull_request_id,
        repository_id,
        word,
        2 as way
    from title_words
    union all
    select
        pull_request_id,
        repository_id,
        word,
        4 as way
    from body_words
),

every as (
    select
        pull_request_id,
        repository_id,
        key,
        1 as way
    from linked
    union all
    select
        pull_request_id,
        repository_id,
        {{ first_match(
            'word',
            pattern_text('^(?:[A-Z][A-Z0-9_]+-[0-9]+|AB#[0-9]+|(?:[A-Za-z0-9_-]+/[A-Za-z0-9_-]+)?#[0-9]+)$')
        ) }} as key,
        way
    from written
    union all
    -- `feature/abc-12-short-title`
    select
        pull_request_id,
        repository_id,
        upper({{ first_match('word', pattern_text('^([A-Za-z][A-Za-z0-9_]+-[0-9]+)(?:[-_].*)?$'), 1) }}) as key,
        3 as way
    from branch_parts
),

firsts as (
    select
        pull_request_id,
        repository_id,
        key,
        min(way) as way
    from every
    where key <> ''
    group by pull_request_id, repository_id, key
)

select
    pull_request_id,
    repository_id,
    key,
    case
        when key like 'http%:/%' then {{ address_name('key') }}
        when key like '#%' then {{ numbered_name('repository_id', 'substr(key, 2)') }}
        else lower(key)
    end as name,
    case way when 1 then 'linked' when 2 then 'title' when 3 then 'branch' else 'description' end as found_in
from firsts
