/*
 * The SQL that Hibernate sends, through the JDBC driver.
 *
 * Debian has no Hibernate 6, so this program sends what Hibernate 6 sends for the
 * mappings in doc/frameworks.md, in the way in which Hibernate sends it.
 * The methods before "the test" are in that page.
 */

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import java.util.UUID;
import javax.net.SocketFactory;

class Main {
    /** @Id @Generated: the column is left out, and its value comes back. */
    static UUID insertNote(Connection connection, String body) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "insert into note (body) values (?)", new String[] {"id"})) {
            insert.setString(1, body);
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                keys.next();
                return keys.getObject(1, UUID.class);
            }
        }
    }

    /** GenerationType.IDENTITY: the column is left out, and all columns come back. */
    static long insertRequest(Connection connection, String path) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "insert into request (path) values (?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, path);
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                keys.next();
                return keys.getLong("id");
            }
        }
    }

    /** GenerationType.SEQUENCE: a number for each 50 rows. */
    static long nextOfSequence(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "select nextval('orders_SEQ')"); ResultSet row = select.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    // --- the test

    static final String[] SCHEMA = {
        "create extension gid",
        "create table note (id uuid default gid_uuid_v7() not null, body varchar(255), primary key (id))",
        "create table request (id bigint default gid_trace_id() not null, path varchar(255), primary key (id))",
        "create sequence orders_SEQ start with 1 increment by 50",
        "create table orders (id bigint not null, item varchar(255), primary key (id))",
    };

    static int count = 0;
    static int failed = 0;

    static void ok(boolean good, String name, Object detail) {
        count++;
        System.out.println((good ? "ok " : "not ok ") + count + " - " + name);
        if (!good) {
            failed++;
            System.out.println("# " + detail);
        }
    }

    static void equal(Object got, Object want, String name) {
        ok(want.equals(got), name, "got " + got + ", not " + want);
    }

    static Connection connect() throws SQLException {
        Properties options = new Properties();

        options.setProperty("user", System.getenv("PGUSER"));
        options.setProperty("socketFactory", UnixSockets.class.getName());
        options.setProperty("socketFactoryArg",
            System.getenv("PGHOST") + "/.s.PGSQL." + System.getenv("PGPORT"));
        return DriverManager.getConnection("jdbc:postgresql:" + System.getenv("PGDATABASE"), options);
    }

    static Object query(Connection connection, String sql, Object... arguments) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++)
                select.setObject(i + 1, arguments[i]);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getObject(1) : null;
            }
        }
    }

    static void testUuid(Connection connection) throws SQLException {
        UUID first = insertNote(connection, "one");

        equal(first.version(), 7, "uuid: the id of the new row is a UUID of version 7");
        equal(query(connection, "select body from note where id=?", first), "one", "uuid: it finds the row");

        List<String> ids = new ArrayList<>();

        for (int i = 0; i < 20; i++)
            ids.add(insertNote(connection, "many " + i).toString());
        equal(new ArrayList<>(new TreeSet<>(ids)), ids,
            "uuid: 20 more, the last ones by a prepared statement, increase");

        try (PreparedStatement insert = connection.prepareStatement(
                "insert into note (body) values (?)", new String[] {"id"})) {
            HashSet<UUID> keys = new HashSet<>();

            for (int i = 0; i < 30; i++) {
                insert.setString(1, "batch " + i);
                insert.addBatch();
            }
            insert.executeBatch();
            try (ResultSet row = insert.getGeneratedKeys()) {
                while (row.next())
                    keys.add(row.getObject(1, UUID.class));
            }
            equal(keys.size(), 30, "uuid: a batch of 30 rows gives 30 ids");
        }
        equal(((UUID) query(connection, "insert into note (body) values (?) returning id", "two")).version(), 7,
            "uuid: with hibernate.jdbc.use_get_generated_keys off the statement says RETURNING");
    }

    static void testBigint(Connection connection) throws SQLException {
        long id = insertRequest(connection, "/tea");

        ok(id > 1L << 53, "bigint: the id is a long, larger than a double can hold", id);
        equal(query(connection, "select path from request where id=?", id), "/tea", "bigint: it finds the row");
        ok((long) query(connection, "insert into request (path,id) values (?,default) returning id", "/milk") > id,
            "bigint: a statement with the word default gets the next id", id);
        ok((long) (double) 4636592980457693161L != 4636592980457693161L,
            "bigint: as a number JavaScript would round it", id);
    }

    static void testSequence(Connection connection, Connection other) throws SQLException {
        HashSet<Long> ids = new HashSet<>();

        for (Connection session : new Connection[] {connection, other}) {
            try (Statement statement = session.createStatement()) {
                statement.execute("load 'gid'");
                statement.execute("set gid.serve_nextval = on");
            }
        }
        equal(query(connection, "select not exists (select from gid.stat_sequences)"), true,
            "sequence: gid has drawn from none");
        for (Connection session : new Connection[] {connection, other, connection, other}) {
            long low = nextOfSequence(session);

            equal(low % 50, 1L, "sequence: the first number of 50");
            for (long id = low; id < low + 50; id++)
                ids.add(id);
        }
        equal(query(connection, "select sequence::text from gid.stat_sequences"), "orders_seq",
            "sequence: gid has served this one");
        equal(ids.size(), 200, "sequence: two sessions take 4 times 50 numbers, no two equal");
        try (PreparedStatement insert = connection.prepareStatement(
                "insert into orders (item,id) values (?,?)")) {
            for (long id : ids) {
                insert.setString(1, "tea");
                insert.setLong(2, id);
                insert.addBatch();
            }
            equal(insert.executeBatch().length, 200, "sequence: which go in as one batch");
        }
    }

    static void testExisting(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table customer (id bigserial primary key, name varchar(255))");
            statement.execute("insert into customer (name) values ('a'), ('b')");
            statement.execute("alter table customer alter id set default gid_next('customer_id_seq')");
        }
        equal(query(connection, "insert into customer (name,id) values (?,default) returning id", "c"), 3L,
            "existing table: a serial column goes on with gid_next()");
    }

    public static void main(String[] arguments) throws Exception {
        try (Connection connection = connect(); Connection other = connect()) {
            System.out.println("# total: with PostgreSQL JDBC " + connection.getMetaData().getDriverVersion()
                + ", Java " + System.getProperty("java.version"));
            try (Statement statement = connection.createStatement()) {
                for (String sql : SCHEMA)
                    statement.execute(sql);
            }
            testUuid(connection);
            testBigint(connection);
            testSequence(connection, other);
            testExisting(connection);
        } catch (Exception e) {
            e.printStackTrace(System.out);
            ok(false, "the test came to its end", e);
        }
        System.out.println("1.." + count);
        System.exit(failed > 0 ? 1 : 0);
    }

    /** The test's server has a socket in a directory, which the driver cannot open by itself. */
    public static class UnixSockets extends SocketFactory {
        private final String path;

        public UnixSockets(String path) {
            this.path = path;
        }

        @Override public Socket createSocket() {
            return new UnixSocket(path);
        }

        @Override public Socket createSocket(String host, int port) {
            return createSocket();
        }

        @Override public Socket createSocket(String host, int port, InetAddress local, int localPort) {
            return createSocket();
        }

        @Override public Socket createSocket(InetAddress host, int port) {
            return createSocket();
        }

        @Override public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
            return createSocket();
        }
    }

    /** As much of a Socket as the driver uses. */
    static class UnixSocket extends Socket {
        private final String path;
        private SocketChannel channel;

        UnixSocket(String path) {
            this.path = path;
        }

        @Override public void connect(SocketAddress address, int timeout) throws IOException {
            channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
        }

        @Override public InputStream getInputStream() {
            return Channels.newInputStream(channel);
        }

        @Override public OutputStream getOutputStream() {
            return Channels.newOutputStream(channel);
        }

        @Override public void close() throws IOException {
            channel.close();
        }

        @Override public void setTcpNoDelay(boolean on) {
        }

        @Override public void setKeepAlive(boolean on) {
        }

        @Override public int getSoTimeout() {
            return 0;
        }

        @Override public void setSoTimeout(int timeout) {
        }
    }
}
