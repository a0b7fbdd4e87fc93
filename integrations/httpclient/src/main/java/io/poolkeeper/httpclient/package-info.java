/** Connection pools of Apache HttpClient 5 that size themselves. */
@NullMarked
package io.poolkeeper.httpclient;

import org.jspecify.annotations.NullMarked;
