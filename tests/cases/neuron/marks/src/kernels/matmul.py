












    acc += nl.matmul(a, b)
