{#-
  Connected groups of the members that share keys: rows of (member, label), with the smallest member of the group as
  label.

  `links` is a CTE or relation with the integer `member` and the text `key`, every member having at least one key.
  Each round lets a label pass one key further and then jump to its label's label, so the reach doubles; a test on the
  model proves that the rounds sufficed. Recursion is not used: a shared key with n members would make n² rows.
-#}
{% macro connected_groups(links, rounds) %}
label_0 as (
    select
        member,
        member as label
    from {{ links }}
    group by member
)
{%- for round in range(1, rounds + 1) %},

key_label_{{ round }} as (
    select
        links.key,
        min(labels.label) as label
    from {{ links }} as links
    inner join label_{{ round - 1 }} as labels on links.member = labels.member
    group by links.key
),

passed_{{ round }} as (
    select
        links.member,
        min(labels.label) as label
    from {{ links }} as links
    inner join key_label_{{ round }} as labels on links.key = labels.key
    group by links.member
),

label_{{ round }} as (
    select
        passed.member,
        further.label
    from passed_{{ round }} as passed
    inner join passed_{{ round }} as further on passed.label = further.member
)
{%- endfor %},

connected as (
    select * from label_{{ rounds }}
)
{% endmacro %}
