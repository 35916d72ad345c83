# test/applications/tryton.py
#		Tryton with proteus, its scripting client, for test/applications/run.sh: parties,
#		products, sales, purchases, invoices, payments and stock; actions and sequences,
#		where Tryton handles PostgreSQL's sequences itself; and Tryton's own scenarios.
#
# Creating an action draws its id, calls setval() on the sequence of another table and
# draws from that one, several times in one transaction.
#
# The scenarios expect a database without a company.  Each gets a copy of the database
# as it was after the installation, with the extension and the setting of the database
# "tryton".

import doctest
import os
import subprocess
import sys
from decimal import Decimal

UNPACKED = os.environ['GID_UNPACKED']
PACKAGES = UNPACKED + '/usr/lib/python3/dist-packages'
CONFIG = os.environ['GID_WORK'] + '/trytond.conf'
MODULES = ['account_invoice_stock', 'purchase', 'sale']
SCENARIOS = ['party/party_replace', 'sale/sale']

sys.path.insert(0, PACKAGES)
os.environ['DB_NAME'] = 'tryton_scenario'  # for Tryton's tests


def trytond_admin(*arguments):
    environment = dict(os.environ, PYTHONPATH=PACKAGES, TRYTONPASSFILE=CONFIG + '.password')
    subprocess.run([sys.executable, UNPACKED + '/usr/bin/trytond-admin', '-c', CONFIG, '-d', 'tryton', *arguments],
                   env=environment, stdout=sys.stderr, check=True)


def execute(database, statement):
    """A statement of its own transaction; returns the rows, if there are any."""
    import psycopg2
    connection = psycopg2.connect(dbname=database, user='postgres')
    try:
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else None
    finally:
        connection.close()


def install():
    with open(CONFIG, 'w') as file:
        file.write('[database]\nuri = postgresql://\n')
    with open(CONFIG + '.password', 'w') as file:
        file.write('a-password-of-its-own\n')
    trytond_admin('--all', '--email', 'admin@example.com')
    trytond_admin('-u', *MODULES, '--activate-dependencies')
    execute('postgres', 'CREATE DATABASE tryton_installed TEMPLATE tryton OWNER app')
    set_up()


def connect():
    from proteus import Model, config
    connection = config.set_trytond(database='tryton', user='admin', config_file=CONFIG)
    # the user's company
    connection._context = Model.get('res.user').get_preferences(True, {})


def set_up():
    """A company that can sell and buy."""
    connect()
    from proteus import Model
    from trytond.modules.account.tests.tools import create_chart, create_fiscalyear, create_tax, get_accounts
    from trytond.modules.account_invoice.tests.tools import create_payment_term, set_fiscalyear_invoice_sequences
    from trytond.modules.company.tests.tools import create_company, get_company
    create_company()
    company = get_company()
    set_fiscalyear_invoice_sequences(create_fiscalyear(company)).click('create_period')
    create_chart(company)
    accounts = get_accounts(company)
    journal, = Model.get('account.journal').find([('type', '=', 'cash')])
    method = Model.get('account.invoice.payment.method')(
        name='Cash', journal=journal, credit_account=accounts['cash'], debit_account=accounts['cash'])
    method.save()
    tax = create_tax(Decimal('.10'))
    tax.save()
    category = Model.get('product.category')(
        name='Sold and bought', accounting=True, account_expense=accounts['expense'],
        account_revenue=accounts['revenue'])
    category.customer_taxes.append(tax)
    category.save()
    create_payment_term().save()


def show(what, *values):
    print(what + ':', *values)


def trade(n):
    """A product, bought, sold, shipped, invoiced and paid."""
    from proteus import Model, Report, Wizard
    Party = Model.get('party.party')
    category, = Model.get('product.category').find([('name', '=', 'Sold and bought')])
    unit, = Model.get('product.uom').find([('name', '=', 'Unit')])
    term, = Model.get('account.invoice.payment_term').find([])
    method, = Model.get('account.invoice.payment.method').find([('name', '=', 'Cash')])

    customer, supplier = Party(name=f'Customer {n}'), Party(name=f'Supplier {n}')
    for party in customer, supplier:
        party.contact_mechanisms.new(type='email', value='someone@example.com')
        party.save()
    template = Model.get('product.template')(
        name=f'Product {n}', default_uom=unit, type='goods', salable=True, purchasable=True,
        list_price=Decimal('10'), account_category=category)
    template.products[0].cost_price = Decimal('4')
    template.save()
    product, = template.products
    template.duplicate()

    purchase = Model.get('purchase.purchase')(party=supplier, payment_term=term, invoice_method='order')
    purchase.lines.new(product=product, quantity=20.0, unit_price=Decimal('4'))
    for button in 'quote', 'confirm', 'process':
        purchase.click(button)
    shipment = Model.get('stock.shipment.in')(supplier=supplier)
    for move in purchase.moves:
        shipment.incoming_moves.append(Model.get('stock.move')(move.id))
    shipment.save()
    for button in 'receive', 'done':
        shipment.click(button)
    purchase.reload()
    show('purchase', purchase.state, purchase.total_amount, purchase.shipment_state, len(purchase.invoices))

    for quantity in 1.0, 2.0:
        sale = Model.get('sale.sale')(party=customer, payment_term=term, invoice_method='order')
        line = sale.lines.new()
        line.product = product
        line.quantity = quantity
        line = sale.lines.new()
        line.type = 'comment'
        line.description = 'a comment'
        for button in 'quote', 'confirm':
            sale.click(button)
        shipment, = sale.shipments
        show('assigned', shipment.click('assign_try'))
        for button in 'pick', 'pack', 'done':
            shipment.click(button)
        invoice, = sale.invoices
        invoice.click('post')
        pay = Wizard('account.invoice.pay', [invoice])
        pay.form.payment_method = method
        pay.execute('choice')
        invoice.reload()
        sale.reload()
        show('sale', sale.state, sale.total_amount, sale.shipment_state, invoice.state,
             [line.amount for line in invoice.lines], len(Report('sale.sale').execute([sale], {})[1]) > 0)
    show('move lines of the customer', sorted(
        (line.debit, line.credit) for line in Model.get('account.move.line').find([('party', '=', customer.id)])))
    show('references of the sales differ', len({sale.number for sale in Model.get('sale.sale').find([])})
         == len(Model.get('sale.sale').find([])))


def actions(n):
    """Each create() is one transaction."""
    from proteus import Model
    context = {}
    values = {
        'ir.action.report': lambda i: {'name': f'Report {n} {i}', 'model': 'party.party', 'report_name': f'r{n}.{i}'},
        'ir.action.wizard': lambda i: {'name': f'Wizard {n} {i}', 'wiz_name': 'ir.module.config'},
        'ir.action.url': lambda i: {'name': f'Address {n} {i}', 'url': f'http://localhost/{i}'},
        'ir.action.act_window': lambda i: {'name': f'Window {n} {i}', 'res_model': 'party.party'},
    }
    for turn in range(2):
        for name, value in values.items():
            Action = Model.get(name)
            keys = Action._proxy.create([value(f'{turn}{i}') for i in range(4)], context)
            records = [Action(key) for key in keys]
            show(name, len(set(keys)), [record.name.replace(f' {n} ', ' ') for record in records],
                 all(record.action.id == record.id for record in records))


def sequences(n):
    """Tryton makes a sequence in the database for each of these."""
    from proteus import Model
    kind, = Model.get('ir.sequence.type').find([('name', '=', 'Party')])
    Sequence = Model.get('ir.sequence')
    sequence = Sequence(name=f'Sequence {n}', sequence_type=kind, prefix=f'{n}.', number_next=100)
    sequence.save()
    configuration = Model.get('party.configuration')(1)
    before = configuration.party_sequence
    configuration.party_sequence = sequence
    configuration.save()
    Party = Model.get('party.party')
    codes = []
    for i in range(3):
        party = Party(name=f'With a code {n} {i}')
        party.save()
        codes.append(party.code.split('.')[1])
    show('codes', codes)
    sequence.number_increment = 10
    sequence.number_next = 500
    sequence.save()
    party = Party(name=f'With a code {n} 3')
    party.save()
    show('code after a change', party.code.split('.')[1])
    # Tryton now reads last_value and continues behind it, with gid behind the last value reserved
    sequence.name = f'Sequence {n} renamed'
    sequence.save()
    party = Party(name=f'With a code {n} 4')
    party.save()
    show('code after a renaming', int(party.code.split('.')[1]) > 500)
    configuration.party_sequence = before
    configuration.save()
    sequence.delete()


def scenario(path):
    """One of Tryton's scenarios, in a process of its own, because Tryton keeps much of a database."""
    from trytond.tests import tools
    module, name = path.split('/')
    execute('postgres', 'DROP DATABASE IF EXISTS tryton_scenario')
    execute('postgres', 'CREATE DATABASE tryton_scenario TEMPLATE tryton_installed OWNER app')
    for statement, in execute('tryton', """
            SELECT 'CREATE EXTENSION gid' FROM pg_extension WHERE extname = 'gid' UNION ALL
            SELECT 'ALTER DATABASE tryton_scenario SET gid.serve_nextval = on'
            FROM pg_settings WHERE name = 'gid.serve_nextval' AND setting = 'on'"""):
        execute('tryton_scenario', statement)
    tools.activate_modules = lambda modules: tools._get_config()
    failed, tried = doctest.testfile(f'{PACKAGES}/trytond/modules/{module}/tests/scenario_{name}.rst',
                                     module_relative=False, encoding='utf-8')
    show('scenario', path, f'{failed} of {tried} failed')
    for table, count in rows('tryton_scenario'):
        show('  ' + table, count)
    sys.exit(failed > 0)


def rows(database):
    """The tables of a database that have rows."""
    tables = execute(database, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
                     " ORDER BY tablename COLLATE \"C\"")
    counts = execute(database, ' UNION ALL '.join(
        f"SELECT '{table}' AS name, count(*) AS n FROM \"{table}\"" for table, in tables))
    return sorted((name, n) for name, n in counts if n)


def round(n):
    connect()
    trade(n)
    actions(n)
    sequences(n)


def own():
    for path in SCENARIOS:
        subprocess.run([sys.executable, __file__, 'scenario', path], check=True,
                       env=dict(os.environ, TRYTOND_CONFIG=CONFIG))


if sys.argv[1] == 'install':
    install()
elif sys.argv[1] == 'update':
    trytond_admin('--all')
elif sys.argv[1] == 'round':
    round(sys.argv[2])
elif sys.argv[1] == 'own':
    own()
else:
    scenario(sys.argv[2])
