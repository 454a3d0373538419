package io.parley.examples.software;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate of a server that is valid for some host names and signed by itself. The JDK's keytool creates it. */
public final class ServerCertificate {

    private static final String PASSWORD = "not secret";
    private static final String ALIAS = "server";

    private final KeyStore store;
    private final Key key;

    private ServerCertificate(KeyStore store, Key key) {
        this.store = store;
        this.key = key;
    }

    public static ServerCertificate create(Path directory, List<String> hosts)
            throws IOException, InterruptedException, GeneralSecurityException {
        Path file = directory.resolve("server.p12");
        Software.run(
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-J-XX:TieredStopAtLevel=1",
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=test",
                        "-ext",
                        "san=" + hosts.stream().map(host -> "dns:" + host).collect(Collectors.joining(",")),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        file.toString()),
                Duration.ofSeconds(60));
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return new ServerCertificate(store, store.getKey(ALIAS, PASSWORD.toCharArray()));
    }

    String certificatePem() throws GeneralSecurityException {
        return pem("CERTIFICATE", store.getCertificate(ALIAS).getEncoded());
    }

    String keyPem() {
        return pem("PRIVATE KEY", key.getEncoded());
    }

    private static String pem(String type, byte[] content) {
        String text = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(content);
        return "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n";
    }

    private KeyStore trustStore() throws GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        try {
            trusted.load(null, null);
        } catch (IOException e) { // nothing is read
            throw new IllegalStateException(e);
        }
        trusted.setCertificateEntry(ALIAS, store.getCertificate(ALIAS));
        return trusted;
    }

    /** Writes a trust store into a directory. Returns the options of a JVM that trusts this certificate alone. */
    public List<String> trustOptions(Path directory) throws IOException, GeneralSecurityException {
        Path file = directory.resolve("trust.p12");
        String password = "changeit"; // without white space
        try (OutputStream out = Files.newOutputStream(file)) {
            trustStore().store(out, password.toCharArray());
        }
        return List.of("-Djavax.net.ssl.trustStore=" + file, "-Djavax.net.ssl.trustStorePassword=" + password);
    }

    /** Returns the TLS of the JDK with this certificate, and with trust in it alone. */
    SSLContext context() throws GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD.toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trustStore());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
