package io.parley.identity.internal;

import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;

/** The curve of transport keys: P-256 of FIPS 186, also called secp256r1. */
public final class P256 {
    public static final String NAME = "secp256r1";

    private static final ECParameterSpec CURVE = curve();

    private P256() {}

    public static boolean isKey(PublicKey key) {
        if (!(key instanceof ECPublicKey ecKey)) {
            return false;
        }
        ECParameterSpec curve = ecKey.getParams();
        return curve.getCurve().equals(CURVE.getCurve())
                && curve.getGenerator().equals(CURVE.getGenerator())
                && curve.getOrder().equals(CURVE.getOrder())
                && curve.getCofactor() == CURVE.getCofactor();
    }

    private static ECParameterSpec curve() {
        try {
            AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
            parameters.init(new ECGenParameterSpec(NAME));
            return parameters.getParameterSpec(ECParameterSpec.class);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("P-256 is required of every Java platform", e);
        }
    }
}
