package io.parley.identity;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/** A key manager that always sends one chain, even a chain that a key store rejects. */
final class TestKeyManager extends X509ExtendedKeyManager {
    private static final String ALIAS = "peer";

    private final PrivateKey key;
    private final X509Certificate[] chain;

    TestKeyManager(PrivateKey key, X509Certificate... chain) {
        this.key = key;
        this.chain = chain;
    }

    @Override
    public @Nullable String chooseEngineClientAlias(String[] keyTypes, Principal[] issuers, SSLEngine engine) {
        return chooseClientAlias(keyTypes, issuers, null);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
        return chooseServerAlias(keyType, issuers, null);
    }

    @Override
    public @Nullable String chooseClientAlias(String[] keyTypes, Principal[] issuers, @Nullable Socket socket) {
        for (String keyType : keyTypes) {
            if (keyType.equals(key.getAlgorithm())) {
                return ALIAS;
            }
        }
        return null;
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal[] issuers, @Nullable Socket socket) {
        return keyType.equals(key.getAlgorithm()) ? ALIAS : null;
    }

    @Override
    public String[] getClientAliases(String keyType, Principal[] issuers) {
        return new String[] {ALIAS};
    }

    @Override
    public String[] getServerAliases(String keyType, Principal[] issuers) {
        return new String[] {ALIAS};
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return chain.clone();
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return key;
    }
}
