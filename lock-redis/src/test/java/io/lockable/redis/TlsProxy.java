package io.lockable.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.TrustManagerFactory;

import io.lockable.test.redis.RedisTestServer;

/**
 * Terminates TLS in front of a server without TLS, with its own certificate.
 */
final class TlsProxy implements AutoCloseable {

	static final String PASSWORD = "changeit";

	private final RedisTestServer server;

	private final Path directory;

	private final KeyStore trusted;

	private final SSLServerSocket entrance;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private TlsProxy(RedisTestServer server, Path directory) throws IOException, GeneralSecurityException {
		this.server = server;
		this.directory = directory;
		this.trusted = KeyStore.getInstance("PKCS12");
		this.trusted.load(null, null);
		this.trusted.setCertificateEntry("proxy", load().getCertificate("proxy"));
		try (OutputStream out = Files.newOutputStream(trustStore())) {
			this.trusted.store(out, PASSWORD.toCharArray());
		}
		KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		keys.init(load(), PASSWORD.toCharArray());
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(keys.getKeyManagers(), null, null);
		this.entrance = (SSLServerSocket) context.getServerSocketFactory()
			.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
		start(this::accept);
	}

	/**
	 * Starts a proxy.
	 * @param server the server
	 * @param directory the directory for the key store and the trust store
	 * @return the proxy
	 */
	static TlsProxy before(RedisTestServer server, Path directory) {
		try {
			Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
			Process process = new ProcessBuilder(List.of(keytool.toString(), "-genkeypair", "-alias", "proxy",
					"-keyalg", "EC", "-dname", "CN=localhost", "-ext", "san=ip:127.0.0.1,dns:localhost", "-storetype",
					"PKCS12", "-keystore", keyStore(directory).toString(), "-storepass", PASSWORD))
				.redirectErrorStream(true)
				.redirectOutput(directory.resolve("keytool.log").toFile())
				.start();
			if (process.waitFor() != 0) {
				throw new IllegalStateException(Files.readString(directory.resolve("keytool.log")));
			}
			return new TlsProxy(server, directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (GeneralSecurityException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	String host() {
		return this.server.host();
	}

	int port() {
		return this.entrance.getLocalPort();
	}

	Path trustStore() {
		return this.directory.resolve("trust.p12");
	}

	/**
	 * Returns the context of a client that trusts this proxy.
	 * @return the context
	 */
	SSLContext trusting() {
		try {
			TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			trust.init(this.trusted);
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(null, trust.getTrustManagers(), null);
			return context;
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Path keyStore(Path directory) {
		return directory.resolve("proxy.p12");
	}

	private KeyStore load() throws IOException, GeneralSecurityException {
		try (InputStream in = Files.newInputStream(keyStore(this.directory))) {
			KeyStore loaded = KeyStore.getInstance("PKCS12");
			loaded.load(in, PASSWORD.toCharArray());
			return loaded;
		}
	}

	private void accept() throws IOException {
		while (!this.entrance.isClosed()) {
			Socket client = this.entrance.accept();
			Socket onward = new Socket(this.server.host(), this.server.port());
			onward.setTcpNoDelay(true);
			client.setTcpNoDelay(true);
			this.sockets.add(client);
			this.sockets.add(onward);
			start(() -> copy(client, onward));
			start(() -> copy(onward, client));
		}
	}

	private void copy(Socket from, Socket to) throws IOException {
		try (from; to) {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			byte[] buffer = new byte[8192];
			for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
				out.write(buffer, 0, length);
			}
		}
		finally {
			this.sockets.remove(from);
			this.sockets.remove(to);
		}
	}

	private static void start(Crew.Task task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (Exception ex) {
				// the connection has ended
			}
		}, "test-tls-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() {
		try {
			this.entrance.close();
			for (Socket socket : this.sockets) {
				socket.close();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
