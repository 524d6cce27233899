"""Pages as Rails writes them for a new model, and pages of people that hold some of their words."""

import pytest

from tests.ingest.git.machine_text.test_scaffolds import mark

INDEX = """<p id="notice"><%= notice %></p>

<h1>Listing Carts</h1>

<table>
  <tbody>
    <% @carts.each do |cart| %>
      <td><%= link_to 'Destroy', cart, method: :delete, data: { confirm: 'Are you sure?' } %></td>
    <% end %>
  </tbody>
</table>

<%= link_to 'New Cart', new_cart_path %>
"""
SHOW = """<p id="notice"><%= notice %></p>

<p>
  <strong>Name:</strong>
  <%= @cart.name %>
</p>

<%= link_to 'Edit', edit_cart_path(@cart) %> |
<%= link_to 'Back', carts_path %>
"""
EDIT = """<h1>Editing Cart</h1>

<%= render 'form' %>

<%= link_to 'Show', @cart %> |
<%= link_to 'Back', carts_path %>
"""
HAML = """%h1 Listing carts

%table
  %thead
    %tr
      %th Name
      %th
  %tbody
    - @carts.each do |cart|
      %tr
        %td= cart.name
        %td= link_to 'Destroy', cart, method: :delete, data: { confirm: 'Are you sure?' }

%br

= link_to 'New Cart', new_cart_path
"""
OWN_SHOW = SHOW.replace(
    "<%= link_to 'Edit'",
    "".join(f"<p><%= price @cart.lines[{n}] %></p>\n" for n in range(90)) + "<%= link_to 'Edit'",
)
OWN_INDEX = INDEX.replace(
    "    <% end %>\n",
    "".join(f"      <td><%= badge cart.state, {n} %></td>\n" for n in range(80)) + "    <% end %>\n",
)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("app/views/carts/index.html.erb", INDEX),
        ("app/views/carts/show.html.erb", SHOW),
        ("app/views/carts/edit.html.erb", EDIT),
        ("app/views/carts/index.html.haml", HAML),
    ],
)
def test_rails_wrote_the_first_version(path: str, text: str) -> None:
    assert mark(path, text) is not None
    assert mark(path, text, is_added=False) is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("app/views/carts/index.html.erb", INDEX + "\n<%= render 'totals' %>\n"),
        ("app/views/carts/show.html.erb", SHOW.replace("Back", "All carts")),
        ("app/views/carts/edit.html.erb", EDIT.replace("<%= render 'form' %>", "<%= render 'steps', cart: @cart %>")),
        ("app/views/carts/show.html.erb", OWN_SHOW),
        ("app/views/carts/index.html.erb", OWN_INDEX),
        ("app/views/carts/show.html.erb", SHOW.replace("@cart.name", "@cart.name.upcase")),
        ("lib/generators/scaffold/templates/app/views/carts/index.html.erb", INDEX),
    ],
)  # fmt: skip
def test_people_write_pages_with_words_of_first_versions(path: str, text: str) -> None:
    assert mark(path, text) is None
