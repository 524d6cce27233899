"""First versions that a tool writes for people to edit, and files of people that hold some of their words."""

import time

import pytest

from ingest.git.machine_text import marks
from ingest.git.machine_text.scaffolds import find_scaffold

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
MINITEST = """require "test_helper"

class CartsControllerTest < ActionDispatch::IntegrationTest
  setup do
    @cart = carts(:one)
  end

  test "should get index" do
    get carts_url
    assert_response :success
  end

  test "should create cart" do
    assert_difference("Cart.count") do
      post carts_url, params: { cart: { email: @cart.email, name: @cart.name } }
    end

    assert_redirected_to cart_url(Cart.last)
  end
end
"""
FORECASTS = """\ufeffusing System;

namespace Shop.Controllers
{
    [ApiController]
    [Route("[controller]")]
    public class WeatherForecastController : ControllerBase
    {
        private static readonly string[] Summaries = new[]
        {
            "Freezing", "Bracing", "Chilly", "Cool", "Mild", "Warm", "Balmy", "Hot", "Sweltering", "Scorching"
        };

        private readonly ILogger<WeatherForecastController> _logger;

        public WeatherForecastController(ILogger<WeatherForecastController> logger)
        {
            _logger = logger;
        }

        [HttpGet]
        public IEnumerable<WeatherForecast> Get()
        {
            var rng = new Random();
            return Enumerable.Range(1, 5).Select(index => new WeatherForecast
            {
                Date = DateTime.Now.AddDays(index),
                TemperatureC = rng.Next(-20, 55),
                Summary = Summaries[rng.Next(Summaries.Length)]
            })
            .ToArray();
        }
    }
}
"""
VALUES = """namespace Shop.Controllers
{
    [Route("api/[controller]")]
    public class ValuesController : Controller
    {
        // GET api/values
        [HttpGet]
        public IEnumerable<string> Get()
        {
            return new string[] { "value1", "value2" };
        }

        // PUT api/values/5
        [HttpPut("{id}")]
        public void Put(int id, [FromBody]string value)
        {
        }
    }
}
"""
APP = """import logo from './logo.svg';
import './App.css';

function App() {
  return (
    <p>
      Edit <code>src/App.js</code> and save to reload.
    </p>
  );
}
"""
PORT = """var app = require('../app');
var http = require('http');

/**
 * Normalize a port into a number, string, or false.
 */
function normalizePort(val) {
  return parseInt(val, 10);
}
"""
WIDGETS = """void main() {
  testWidgets('Counter increments smoke test', (WidgetTester tester) async {
    await tester.pumpWidget(const MyApp());
  });
}
"""
HELLO = """<template>
  <p>For a guide and recipes on how to configure / customize this project,</p>
</template>

<script>
export default {
  name: 'HelloWorld',
  props: {
    msg: String
  }
}
</script>
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
OWN_SPEC = ANGULAR.replace(
    "  beforeEach(",
    "  it('adds', () => {\n    add();\n  });\n  it('pays', () => {\n    pay();\n  });\n  beforeEach(",
)
OWN_TESTS = MINITEST.removesuffix("end\n") + "".join(
    f'  test "refuses cart {n}" do\n    get cart_url(carts(:c{n}))\n    assert_response :forbidden\n  end\n\n'
    for n in range(60)
)
OWN_CONTROLLER = CONTROLLER.replace(
    "  def create\n",
    "  def ship\n    authorize @cart\n    Shipping.new(@cart).deliver(current_user.address)\n  end\n\n  def create\n",
)
OWN_ROUTES = '"Freezing", "Bracing", "Chilly"\n' + "".join(
    f'app.MapGet("/carts/{n}", (Shop shop) => shop.Cart({n}));\n' for n in range(300)
)
OWN_SERVER = PORT + "".join(
    f"app.get('/carts/{n}', (call, answer) => answer.send(cart({n})));\n" for n in range(300)
)
OWN_ASSERTS = 'var split = new string[] { "value1", "value2" };\n' + "".join(
    f"Assert.Equal({n}, Parse({n}));\n" for n in range(200)
)
FIRST_VERSIONS = [
    (".pylintrc", "[MASTER]\n\n# Pickle collected data for later comparisons.\npersistent=yes\n"),
    ("migrations/env.py", "from alembic import context\n# this is the Alembic Config object, which\nc = 1\n"),
    ("app/controllers/carts_controller.rb", CONTROLLER),
    ("src/app/cart/cart.component.spec.ts", ANGULAR),
    ("test/controllers/carts_controller_test.rb", MINITEST),
    ("Controllers/WeatherForecastController.cs", FORECASTS),
    ("Controllers/ValuesController.cs", VALUES.replace("\n", "\r\n")),
    ("src/App.js", APP),
    ("src/App.test.js", "test('renders learn react link', () => {\n});\n"),
    ("src/components/HelloWorld.vue", HELLO),
    ("pages/index.js", "// Find in-depth information about Next.js features and API.\nimport Head from 'next/head'\n"),
    ("App.js", "import React from 'react';\n<Text>Open up App.js to start working on your app!</Text>\n"),
    ("test/widget_test.dart", WIDGETS),
    ("bin/www", PORT),
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
        ("lib/generators/scaffold/templates/app/controllers/carts_controller.rb", CONTROLLER),
        ("packages/create-app/template-react/src/App.js", APP),
        ("shop/settings.py", "HELP = 'Pickle collected data for later comparisons.'\n"),
        ("lib/generators/templates/devise.rb", "# Use this hook to configure devise mailer\n"),
        # With a second test
        ("src/app/cart/cart.component.spec.ts", TESTED),
        ("src/app/cart/cart.component.spec.ts", OWN_SPEC),
        # Much own work around words that a tool left
        ("test/controllers/carts_controller_test.rb", OWN_TESTS),
        ("test/controllers/carts_controller_test.rb", MINITEST.replace("create cart", "refuse a cart of others")),
        ("test/controllers/carts_controller_test.rb", MINITEST.replace(":success", ":forbidden")),
        ("app/controllers/orders_controller.rb", OWN_CONTROLLER),
        ("app/controllers/carts_controller.rb", CONTROLLER.replace("    @cart = C", "    allow Cart\n    @cart = C")),
        ("app/controllers/carts_controller.rb", CONTROLLER.replace("Cart.all", "Cart.of(current_user).recent")),
        ("Program.cs", OWN_ROUTES),
        ("Controllers/WeatherForecastController.cs", FORECASTS.replace("Get()", "GetRain()")),
        ("Controllers/ValuesController.cs", VALUES.replace("string value)\n        {", "string value)\n{ Save(id);")),
        ("server.js", OWN_SERVER),
        ("bin/www", OWN_SERVER),
        ("bin/www", PORT + "function listenTwice() {\n}\n"),
        ("Tests/ParserTests.cs", OWN_ASSERTS),
        ("Tests/ValuesController.cs", OWN_ASSERTS),
        ("src/App.js", APP + "import Cart from './Cart';\n"),
        ("src/App.js", APP + "const total = 1;\n"),
        ("src/App.js", APP + "// more\n" * 200),
        ("src/App.test.js", "test('renders learn react link');\ntest('adds', () => {\n});\n"),
        ("src/components/HelloWorld.vue", HELLO.replace("g: String\n  }", "g: String\n  },\n  methods: { add() {} }")),
        ("src/components/HelloWorld.vue", HELLO.replace("<p>", "<p v-if=\"cart\">")),
        ("test/widget_test.dart", WIDGETS + "testWidgets('adds', () {});\n"),
        ("src/cart.spec.ts", "  it('should create', () => {\n    expect(create()).toEqual(cart);\n  });\n"),
    ],
)  # fmt: skip
def test_people_write_files_with_words_of_first_versions(path: str, text: str) -> None:
    assert mark(path, text) is None


@pytest.mark.parametrize("folder", ["template", "_template", "generators/"])
def test_the_search_for_folders_of_templates_takes_time_in_proportion_to_a_path(folder: str) -> None:
    path = folder * (400_000 // len(folder)) + ".rb"
    start = time.process_time()
    find_scaffold(path, b"")
    # Some hundredths of a second; time that grows with the square of the length is half a minute.
    assert time.process_time() - start < 5


MAIL = """<html><head><style type="text/css">
@media only screen and (min-width:480px) { .mj-column-per-100 { width:100% !important; } }
</style></head><body><div class="mj-column-per-100">{{ cart.name }}</div></body></html>
"""


@pytest.mark.parametrize(
    "path", ["mail/order.html", "mail/templates/order.html", "mail/order.hbs", "mail/order.html.erb"]
)
def test_mjml_wrote_the_first_version_of_a_mail(path: str) -> None:
    assert mark(path, MAIL) == ".mj-column-per-100"
    assert mark(path, MAIL, is_added=False) is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("mail/order.mjml", "<mjml><mj-style>.mj-column-per-100 {}</mj-style><mj-body></mj-body></mjml>"),
        ("mail/order.html", MAIL.replace("<body>", "<body><mj-section></mj-section>")),
        ("mail/order.html", MAIL.replace("mj-column-per-100", "column-100")),
        ("mail/order.css", ".mj-column-per-100 { width: 50% }"),
        ("mail/order.ts", "const mail = `" + MAIL + "`;"),
    ],
)
def test_people_write_mails_and_the_sources_of_mjml(path: str, text: str) -> None:
    assert mark(path, text) is None
