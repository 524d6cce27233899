"""First versions that a tool writes for people to edit, and files of people that hold some of their words."""

import pytest

from ingest.git.machine_text import marks

FIND_WORDS = marks.words_finder()


def mark(path: str, text: str, *, is_added: bool = True) -> str | None:
    return marks.find_mark(
        path, text.encode(), b"", is_prose=False, is_markup=False, is_added=is_added, find_words=FIND_WORDS
    )


CONTROLLER = """class CartsController < ApplicationController
  before_action :set_cart, only: [:show, :edit, :update, :destroy]

  def index
    @carts = Cart.all
  end

  def create
    @cart = Cart.new(cart_params)

    if @cart.save
      redirect_to @cart, notice: 'Cart was successfully created.'
    else
      render :new
    end
  end

  private

  def set_cart
    @cart = Cart.find(params[:id])
  end

  def cart_params
    params.require(:cart).permit(:name, :email)
  end
end
"""
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
ANGULAR = """import { TestBed } from '@angular/core/testing';
import { CartComponent } from './cart.component';

describe('CartComponent', () => {
  beforeEach(() => {
    fixture = TestBed.createComponent(CartComponent);
  });

  it('should create', () => {
    expect(component).toBeTruthy();
  });
});
"""
MINITEST = """class CartsControllerTest < ActionController::TestCase
  setup do
    @cart = carts(:one)
  end

  test "should get index" do
"""
PRICED = (
    CONTROLLER
    + """
class Price
  def of(cart)
    cart.sum
  end
end
"""
)
TESTED = ANGULAR.replace(
    "  it('should create'", "  it('adds', () => {\n    add();\n  });\n\n  it('should create'"
)
FIRST_VERSIONS = [
    ("app/controllers/carts_controller.rb", CONTROLLER),
    ("app/views/carts/index.html.erb", INDEX),
    ("app/views/carts/show.html.erb", SHOW),
    ("app/views/carts/edit.html.erb", EDIT),
    ("src/app/cart/cart.component.spec.ts", ANGULAR),
    ("spec/requests/carts_spec.rb", "  # This should return the minimal set of attributes required to create a Cart\n"),
    ("test/controllers/carts_controller_test.rb", MINITEST),
    ("Controllers/WeatherForecastController.cs", '    "Freezing", "Bracing", "Chilly", "Cool", "Mild",\n'),
    ("src/App.js", "<p>\n  Edit <code>src/App.js</code> and save to reload.\n</p>\n"),
    ("src/serviceWorker.js", "// This optional code is used to register a service worker.\n"),
    ("lib/main.dart", "  const Text(\n    'You have pushed the button this many times:',\n"),
    ("bin/www", "/**\n * Normalize a port into a number, string, or false.\n */\n"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text"), FIRST_VERSIONS)
def test_a_tool_wrote_the_first_version(path: str, text: str) -> None:
    assert mark(path, text) is not None
    assert mark(path, text, is_added=False) is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        # With a further action behind the last method of the scaffold
        ("app/controllers/carts_controller.rb", PRICED),
        ("app/controllers/carts_controller.rb", CONTROLLER.replace(
            "  before_action :set_cart, only: [:show, :edit, :update, :destroy]\n", "  include Paged\n"
        )),
        ("app/services/cart.rb", "flash 'Cart was successfully created.'\n"),
        # Further below a page is of people, as are other pages with the same words.
        ("app/views/carts/index.html.erb", INDEX + "\n<%= render 'totals' %>\n"),
        ("app/views/carts/show.html.erb", SHOW.replace("Back", "All carts")),
        ("app/views/carts/edit.html.erb", EDIT.replace("<%= render 'form' %>", "<%= render 'steps', cart: @cart %>")),
        ("lib/generators/scaffold/templates/index.html.erb", INDEX),
        ("packages/create-app/template-react/src/App.js", "<p>\n  Edit <code>src/App.js</code> and save to reload.\n"),
        # With a second test
        ("src/app/cart/cart.component.spec.ts", TESTED),
        ("src/cart.spec.ts", "  it('should create', () => {\n    expect(create()).toEqual(cart);\n  });\n"),
    ],
)  # fmt: skip
def test_people_write_files_with_words_of_first_versions(path: str, text: str) -> None:
    assert mark(path, text) is None
